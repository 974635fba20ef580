"""What the operator of the service may set about OLM operators; `policy` holds it, `runtime/settings` reads it."""

from datetime import timedelta

from muster.domain.record import Record
from muster.domain.setting import setting

Words = frozenset[str]


class OperatorSettings(Record):
    """The figures and switches of OLM operators. The names in capitals are those of the environment."""

    nvidia_require_gpu: bool = setting(
        "NVIDIA_REQUIRE_GPU", True, "Whether the NVIDIA GPU operator needs a host with a GPU that it supports."
    )
    nvidia_supported_gpus: Words = setting(
        "NVIDIA_SUPPORTED_GPUS", frozenset({"10de"}), "The PCI vendors whose GPUs the NVIDIA GPU operator supports."
    )
    amd_require_gpu: bool = setting(
        "AMD_REQUIRE_GPU", True, "Whether the AMD GPU operator needs a host with a GPU that it supports."
    )
    amd_supported_gpus: Words = setting(
        "AMD_SUPPORTED_GPUS", frozenset({"1002"}), "The PCI vendors whose GPUs the AMD GPU operator supports."
    )

    cnv_mode: bool = setting(
        "CNV_MODE", True, "Whether OpenShift Virtualization is the product; if not, it is the community's."
    )
    cnv_sno_install_hpp: bool = setting(
        "CNV_SNO_INSTALL_HPP", True, "Whether virtualization on a single node gets a storage pool on a disk of its own."
    )
    cnv_sno_pool_size_request_hpp_gib: int = setting(
        "CNV_SNO_POOL_SIZE_REQUEST_HPP_GIB", 50, "How many GiB that storage pool has."
    )
    cnv_supported_gpus: Words = setting(
        "CNV_SUPPORTED_GPUS",
        frozenset({"10de:1db6", "10de:1eb8"}),
        "The GPUs that virtualization hands on to machines, as PCI vendor:device.",
    )
    cnv_supported_sriov_nics: Words = setting(
        "CNV_SUPPORTED_SRIOV_NICS",
        frozenset({"8086:158b", "15b3:1015", "15b3:1017", "15b3:1013", "15b3:101b"}),
        "The network cards that virtualization shares by SR-IOV, as PCI vendor:device.",
    )

    lvm_cpu_per_host: int = setting("LVM_CPU_PER_HOST", 1, "The CPU cores that Logical Volume Manager adds to a host.")
    lvm_memory_per_host_mib: int = setting(
        "LVM_MEMORY_PER_HOST_MIB",
        0,
        "The MiB of memory that Logical Volume Manager adds to a host; 0 leaves the figures of each version.",
    )

    mce_min_openshift_version: str = setting(
        "MCE_MIN_OPENSHIFT_VERSION", "4.10.0", "The first OpenShift version that multicluster engine runs on."
    )

    mtv_cpu_per_host: int = setting("MTV_CPU_PER_HOST", 1, "The CPU cores that migration toolkit adds to a host.")
    mtv_memory_per_host_mib: int = setting(
        "MTV_MEMORY_PER_HOST_MIB", 1024, "The MiB of memory that migration toolkit adds to a host."
    )

    osc_cpu_per_host: int = setting("Osc_CPU_PER_HOST", 1, "The CPU cores that sandboxed containers add to a host.")
    osc_memory_per_host_mib: int = setting(
        "Osc_MEMORY_PER_HOST_MIB", 1024, "The MiB of memory that sandboxed containers add to a host."
    )

    odf_num_minimum_host: int = setting("ODF_NUM_MINIMUM_HOST", 3, "The hosts that Data Foundation needs at least.")
    odf_num_minimum_disk: int = setting("ODF_NUM_MINIMUM_DISK", 3, "The disks that Data Foundation needs at least.")
    odf_min_disk_size_gb: int = setting(
        "ODF_MIN_DISK_SIZE_GB", 25, "The GB that a disk needs at least to be used by Data Foundation."
    )
    odf_per_disk_cpu_count: int = setting(
        "ODF_PER_DISK_CPU_COUNT", 2, "The CPU cores that Data Foundation adds to a host for each of its disks."
    )
    odf_per_disk_ram_gib: int = setting(
        "ODF_PER_DISK_RAM_GIB", 5, "The GiB of memory that Data Foundation adds to a host for each of its disks."
    )
    odf_per_host_cpu_compact_mode: int = setting(
        "ODF_PER_HOST_CPU_COMPACT_MODE", 6, "The CPU cores that Data Foundation adds to a host of a compact cluster."
    )
    odf_per_host_memory_gib_compact_mode: int = setting(
        "ODF_PER_HOST_MEMORY_GIB_COMPACT_MODE",
        19,
        "The GiB of memory that Data Foundation adds to a host of a compact cluster.",
    )
    odf_per_host_cpu_standard_mode: int = setting(
        "ODF_PER_HOST_CPU_STANDARD_MODE", 8, "The CPU cores that Data Foundation adds to a worker."
    )
    odf_per_host_memory_gib_standard_mode: int = setting(
        "ODF_PER_HOST_MEMORY_GIB_STANDARD_MODE", 19, "The GiB of memory that Data Foundation adds to a worker."
    )

    node_healthcheck_min_healthy: str = setting(
        "MIN_PERCENTAGE_OF_MATCHING_NODES_FOR_REMEDIATION",
        "51%",
        "How many workers have to be well for Node Healthcheck to mend one that is not.",
    )
    node_healthcheck_unready: timedelta = setting(
        "NODE_HEALTHCHECK_UNHEALTHY_CONDITIONS_UNREADY_DURATION",
        timedelta(seconds=300),
        "How long a worker may say that it is not ready before Node Healthcheck mends it.",
    )
    node_healthcheck_unknown: timedelta = setting(
        "NODE_HEALTHCHECK_UNHEALTHY_CONDITIONS_UNKNOWN_DURATION",
        timedelta(seconds=300),
        "How long a worker may say nothing before Node Healthcheck mends it.",
    )
    self_node_remediation_template: str = setting(
        "SELF_NODE_REMEDIATION_TEMPLATE_NAME",
        "self-node-remediation-automatic-strategy-template",
        "The template by which Node Healthcheck has workers mended.",
    )

    openshift_ai_min_worker_nodes: int = setting(
        "OPENSHIFT_AI_MIN_WORKER_NODES", 2, "The workers that OpenShift AI needs at least."
    )
    openshift_ai_min_worker_cpu_cores: int = setting(
        "OPENSHIFT_AI_MIN_WORKER_CPU_CORES", 8, "The CPU cores that a worker needs at least for OpenShift AI."
    )
    openshift_ai_min_worker_memory_gib: int = setting(
        "OPENSHIFT_AI_MIN_WORKER_MEMORY_GIB", 32, "The GiB of memory that a worker needs at least for OpenShift AI."
    )
