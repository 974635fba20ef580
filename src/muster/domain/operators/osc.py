"""OpenShift sandboxed containers: each pod in a small virtual machine of its own."""

from .everywhere import on_every_host
from .operator import Addition
from .settings import OperatorSettings


def share(settings: OperatorSettings, _: bool) -> Addition:
    """What each host gives."""
    return Addition(cpu_cores=settings.osc_cpu_per_host, ram_mib=settings.osc_memory_per_host_mib)


OPERATOR = on_every_host(
    share,
    in_words=True,
    name="osc",
    title="OpenShift sandboxed containers",
    namespace="openshift-sandboxed-containers-operator",
    subscription="sandboxed-containers-operator",
    timeout_seconds=3600,
    dependencies=("node-feature-discovery",),
    first_version="4.10",
)
