"""Kube Descheduler: pods are moved to where there is more room."""

from typing import TYPE_CHECKING

from muster.domain.artifacts.machine_config import machine_config
from muster.domain.record import Record
from muster.domain.releases import at_least
from muster.domain.roles import Role

from .manifests import Files, Manifests, Tree, resource
from .operator import IN_VIRTUALIZATION, Operator, selected

if TYPE_CHECKING:  # views add up what operators need
    from muster.domain.views import ClusterView
STEM = "50_kube-descheduler"
NAMESPACE = "openshift-kube-descheduler-operator"
PSI_SINCE = "4.18"
"""The version from which on it looks at how long virtual machines wait, which kernels do not measure unasked."""


class Course(Record):
    """How pods are moved."""

    profiles: tuple[str, ...]
    customizations: Tree = {}


USUAL = Course(profiles=("AffinityAndTaints",))

_MOVABLE = ("EvictPodsWithPVC", "EvictPodsWithLocalStorage")
WITH_MACHINES = (
    ("4.20", Course(profiles=("KubeVirtRelieveAndMigrate",))),
    ("4.19", Course(profiles=("DevKubeVirtRelieveAndMigrate",))),
    (
        "4.18",
        Course(
            profiles=("DevKubeVirtRelieveAndMigrate",),
            customizations={
                "devEnableSoftTainter": True,
                "devDeviationThresholds": "AsymmetricLow",
                "devActualUtilizationProfile": "PrometheusCPUCombined",
            },
        ),
    ),
    (
        "4.17",
        Course(profiles=("LongLifecycle", *_MOVABLE), customizations={"devEnableEvictionsInBackground": True}),
    ),
    ("", Course(profiles=("DevPreviewLongLifecycle", *_MOVABLE))),
)
"""How virtual machines are moved since each version, newest first."""


def more(view: "ClusterView") -> Files:
    """Kernels that measure how long machines wait, from the start: it would take a restart later."""
    if not selected(view.cluster, "cnv") or not at_least(view.cluster.openshift_version, PSI_SINCE):
        return {}
    return {
        f"{STEM}_{role}s_psi.yaml": machine_config(f"99-openshift-{role}-psi", role, kernel_arguments=("psi=1",))
        for role in (Role.MASTER, Role.WORKER)
    }


def later(view: "ClusterView") -> tuple[Tree, ...]:
    """What is moved, and how often that is looked at; without virtual machines it is only told."""
    machines, version = selected(view.cluster, "cnv"), view.cluster.openshift_version
    by_version = next(course for since, course in WITH_MACHINES if not since or at_least(version, since))
    course = by_version if machines else USUAL
    spec: Tree = {
        "managementState": "Managed",
        "mode": "Automatic" if machines else "Predictive",
        "deschedulingIntervalSeconds": 60 if machines else 3600,
        "profiles": list(course.profiles),
    }
    if course.customizations:
        spec["profileCustomizations"] = course.customizations
    return (resource("operator.openshift.io/v1", "KubeDescheduler", "cluster", NAMESPACE, spec),)


OPERATOR = Operator(
    name="kube-descheduler",
    title="Kube Descheduler",
    namespace=NAMESPACE,
    subscription="cluster-kube-descheduler-operator",
    manifests=Manifests(stem=STEM, channel="stable", more=more, later=later),
    bundles=IN_VIRTUALIZATION,
)
