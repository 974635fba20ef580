"""What the operator of the service may set about OLM operators; `policy` holds it, `runtime/settings.py` reads it.

The name of each in the environment is the field's own in capitals, unless the field says otherwise.
"""

import msgspec

from muster.domain.record import Record


class OperatorSettings(Record, rename="upper"):
    """The figures and switches of OLM operators."""

    nvidia_require_gpu: bool = True
    nvidia_supported_gpus: frozenset[str] = frozenset({"10de"})
    amd_require_gpu: bool = True
    amd_supported_gpus: frozenset[str] = frozenset({"1002"})

    cnv_mode: bool = True
    """Whether OpenShift Virtualization is the product; if not, it is the community's."""
    cnv_sno_install_hpp: bool = True
    cnv_sno_pool_size_request_hpp_gib: int = 50
    cnv_supported_gpus: frozenset[str] = frozenset({"10de:1db6", "10de:1eb8"})
    cnv_supported_sriov_nics: frozenset[str] = frozenset(
        {"8086:158b", "15b3:1015", "15b3:1017", "15b3:1013", "15b3:101b"}
    )

    lvm_cpu_per_host: int = 1
    lvm_memory_per_host_mib: int = 0
    """Takes the place of the figures of all versions; 0 leaves them."""

    mce_min_openshift_version: str = "4.10.0"

    mtv_cpu_per_host: int = 1
    mtv_memory_per_host_mib: int = 1024

    osc_cpu_per_host: int = msgspec.field(name="Osc_CPU_PER_HOST", default=1)
    osc_memory_per_host_mib: int = msgspec.field(name="Osc_MEMORY_PER_HOST_MIB", default=1024)

    odf_num_minimum_host: int = 3
    odf_num_minimum_disk: int = 3
    odf_min_disk_size_gb: int = 25
    odf_per_disk_cpu_count: int = 2
    odf_per_disk_ram_gib: int = 5
    odf_per_host_cpu_compact_mode: int = 6
    odf_per_host_memory_gib_compact_mode: int = 19
    odf_per_host_cpu_standard_mode: int = 8
    odf_per_host_memory_gib_standard_mode: int = 19

    openshift_ai_min_worker_nodes: int = 2
    openshift_ai_min_worker_cpu_cores: int = 8
    openshift_ai_min_worker_memory_gib: int = 32
