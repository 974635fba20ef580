"""Migration Toolkit for Virtualization: virtual machines are brought in from elsewhere."""

from .everywhere import on_every_host
from .operator import IN_VIRTUALIZATION, Addition
from .settings import OperatorSettings


def share(settings: OperatorSettings, _: bool) -> Addition:
    """What each host gives."""
    return Addition(cpu_cores=settings.mtv_cpu_per_host, ram_mib=settings.mtv_memory_per_host_mib)


OPERATOR = on_every_host(
    share,
    in_words=True,
    name="mtv",
    title="OpenShift Migration Toolkit for Virtualization",
    namespace="openshift-mtv",
    subscription="mtv-operator",
    timeout_seconds=3600,
    dependencies=("cnv",),
    bundles=IN_VIRTUALIZATION,
    first_version="4.14",
)
