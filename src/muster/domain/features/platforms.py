"""What machines run on, as features: a table that `FEATURES` is made of."""

from collections.abc import Callable

from muster.domain.clusters import Cluster, PlatformType

from .feature import OCI, Choice, Feature, of_cluster
from .levels import Level, Until, ever, since

P = PlatformType


def _on(words: str, test: Callable[[Cluster], bool]) -> Choice:
    return Choice(
        field="platform.type", words=f"platform {words}", instead="choose another platform", made=of_cluster(test)
    )


def _of_type(kind: PlatformType) -> Choice:
    return _on(kind, lambda cluster: cluster.platform.type is kind)


def _is_oci(cluster: Cluster) -> bool:
    return cluster.platform.type is P.EXTERNAL and cluster.platform.platform_name == OCI


def _is_other_external(cluster: Cluster) -> bool:
    return cluster.platform.type is P.EXTERNAL and not _is_oci(cluster)


_NOT_WITH_EXTERNAL: Until = ever(
    "TNA", "TNF", "CLUSTER_MANAGED_NETWORKING", "VIP_AUTO_ALLOC", "USER_MANAGED_LOAD_BALANCER", "NMSTATE",
    "DUAL_STACK_PRIMARY_IPV6",
)  # fmt: skip

PLATFORMS = (
    Feature(
        id="BAREMETAL_PLATFORM",
        excludes=ever("PLATFORM_MANAGED_NETWORKING", "USER_MANAGED_NETWORKING"),
        choice=_of_type(P.BAREMETAL),
        platform=P.BAREMETAL,
    ),
    Feature(
        id="NONE_PLATFORM",
        excludes={
            **ever("VIP_AUTO_ALLOC", "CLUSTER_MANAGED_NETWORKING", "USER_MANAGED_LOAD_BALANCER"),
            "TNA": "4.22",
        },
        choice=_of_type(P.NONE),
        platform=P.NONE,
    ),
    Feature(
        id="NUTANIX_INTEGRATION",
        levels=(("4.11", Level.DEV_PREVIEW), ("4.12", Level.SUPPORTED)),
        not_on=ever("arm64", "s390x", "ppc64le"),
        excludes=ever(
            "SNO", "TNA", "TNF", "USER_MANAGED_NETWORKING", "LVM", "MCE", "CNV", "PLATFORM_MANAGED_NETWORKING", "MTV",
            "NON_STANDARD_HA_CONTROL_PLANE", "USER_MANAGED_LOAD_BALANCER", "OSC", "NMSTATE",
            "DUAL_STACK_PRIMARY_IPV6",
        ),
        choice=_of_type(P.NUTANIX),
        platform=P.NUTANIX,
    ),
    Feature(
        id="VSPHERE_INTEGRATION",
        not_on=ever("s390x", "ppc64le"),
        excludes={
            **ever(
                "SNO", "TNA", "TNF", "LVM", "PLATFORM_MANAGED_NETWORKING", "CNV", "MTV",
                "NON_STANDARD_HA_CONTROL_PLANE", "OSC", "DUAL_STACK_PRIMARY_IPV6",
            ),
            "DUAL_STACK": "4.13",
        },
        choice=_of_type(P.VSPHERE),
        platform=P.VSPHERE,
    ),
    Feature(
        id="EXTERNAL_PLATFORM",
        levels=since("4.14"),
        excludes=_NOT_WITH_EXTERNAL,
        choice=_on("external", _is_other_external),
        platform=P.EXTERNAL,
    ),
    Feature(
        id="EXTERNAL_PLATFORM_OCI",
        levels=since("4.14"),
        not_on=ever("s390x", "ppc64le"),
        excludes={**_NOT_WITH_EXTERNAL, **ever("DUAL_STACK_VIPS", "FULL_ISO", "ODF", "OPENSHIFT_AI")},
        choice=_on(OCI, _is_oci),
        platform=OCI,
    ),
)  # fmt: skip
"""Every platform."""
