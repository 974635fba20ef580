"""What cannot be had, or not together, is refused with the field and the way out."""

from itertools import combinations
from typing import Any

import pytest
from cluster_bodies import a_day2_cluster, a_single_node, an_unmanaged_cluster, create, patched, vips

from builders import a_cluster, a_host, an_infra_env
from muster.domain.clusters import Platform, PlatformType
from muster.domain.errors import Invalid, Refused
from muster.domain.features import FEATURES
from muster.domain.features.enforcement import feature_problems
from muster.domain.features.feature import Context, Plan, exclusion
from muster.domain.features.levels import Level
from muster.domain.hosts import FencingCredentials
from muster.domain.infra_envs import ImageType
from muster.domain.monitored import MonitoredOperator, OperatorType
from muster.domain.networks import Vip
from muster.domain.roles import Role
from muster.domain.states.clusters import ClusterState

BY_ID = {feature.id: feature for feature in FEATURES}
V4, V6 = "192.168.1.0/24", "fd00::/64"
BLANK = a_cluster(
    user_managed_networking=True, platform=Platform(type=PlatformType.VSPHERE), network_type="", api_vips=()
)
"""A cluster that asks for as little as can be."""


def added(*names: str) -> dict[str, Any]:
    return {"operators": tuple(MonitoredOperator(name=name, operator_type=OperatorType.OLM) for name in names)}


def on(platform: str, name: str = "") -> dict[str, Any]:
    return {"platform": Platform(type=PlatformType(platform), platform_name=name)}


ASKED: dict[str, dict[str, Any]] = {
    "SNO": {"control_plane_count": 1},
    "TNF": {"control_plane_count": 2},
    "NON_STANDARD_HA_CONTROL_PLANE": {"control_plane_count": 5},
    "VIP_AUTO_ALLOC": {"vip_dhcp_allocation": True},
    "CLUSTER_MANAGED_NETWORKING": {"user_managed_networking": False},
    "USER_MANAGED_NETWORKING": {"user_managed_networking": True},
    "DUAL_STACK": {"machine_networks": (V4, V6)},
    "DUAL_STACK_VIPS": {"api_vips": (Vip(ip="192.168.1.5"), Vip(ip="fd00::5"))},
    "DUAL_STACK_PRIMARY_IPV6": {"machine_networks": (V6, V4)},
    "PLATFORM_MANAGED_NETWORKING": on("none"),
    "USER_MANAGED_LOAD_BALANCER": {"load_balancer": "user-managed"},
    "OVN_NETWORK_TYPE": {"network_type": "OVNKubernetes"},
    "SDN_NETWORK_TYPE": {"network_type": "OpenShiftSDN"},
    "CILIUM_NETWORK_TYPE": {"network_type": "Cilium"},
    "CALICO_NETWORK_TYPE": {"network_type": "Calico"},
    "CISCO_ACI_NETWORK_TYPE": {"network_type": "CiscoACI"},
    "NONE_NETWORK_TYPE": {"network_type": "None"},
    "BAREMETAL_PLATFORM": on("baremetal"),
    "NONE_PLATFORM": on("none"),
    "NUTANIX_INTEGRATION": on("nutanix"),
    "VSPHERE_INTEGRATION": on("vsphere"),
    "EXTERNAL_PLATFORM": on("external", "x"),
    "EXTERNAL_PLATFORM_OCI": on("external", "oci"),
    "TNA": {},
    "MINIMAL_ISO": {},
    "FULL_ISO": {},
    **{feature.id: added(feature.operator) for feature in FEATURES if feature.operator},
    "MTV": added("mtv", "cnv"),
}
"""How each feature is asked for in a cluster."""

FENCED = FencingCredentials(address="redfish://bmc")
HOSTS = {
    "TNA": (a_host("h1", role=Role.ARBITER),),
    "TNF": tuple(a_host(each, role=Role.MASTER, fencing_credentials=FENCED) for each in ("h1", "h2")),
}
IMAGES = {
    "MINIMAL_ISO": an_infra_env(type=ImageType.MINIMAL),
    "FULL_ISO": an_infra_env(type=ImageType.FULL),
}


def plan_of(*feature_ids: str) -> Plan:
    """A plan that asks for these features and little else."""
    operators = tuple(each for name in feature_ids for each in ASKED[name].get("operators", ()))
    changes = {key: value for name in feature_ids for key, value in ASKED[name].items()}
    return Plan(
        cluster=BLANK.but(**{**changes, "operators": operators}),
        hosts=next((HOSTS[name] for name in feature_ids if name in HOSTS), ()),
        infra_env=next((IMAGES[name] for name in feature_ids if name in IMAGES), None),
    )


def problems_of(plan: Plan) -> list[str]:
    return [*feature_problems(plan.cluster, plan.hosts), *feature_problems(plan.cluster, plan.hosts, plan.infra_env)]


def test_only_what_is_in_no_description_is_never_asked_for():
    assert set(BY_ID) - set(ASKED) == {"CUSTOM_MANIFEST", "SINGLE_NODE_EXPANSION"}
    assert not BY_ID["CUSTOM_MANIFEST"].active(plan_of("SNO"))


@pytest.mark.parametrize("feature_id", ASKED)
def test_a_feature_is_active_when_it_is_asked_for_and_not_otherwise(feature_id):
    assert BY_ID[feature_id].active(plan_of(feature_id))
    others = {"USER_MANAGED_NETWORKING": "CLUSTER_MANAGED_NETWORKING", "VSPHERE_INTEGRATION": "BAREMETAL_PLATFORM"}
    assert not BY_ID[feature_id].active(plan_of(others.get(feature_id, "USER_MANAGED_NETWORKING")))
    assert not BY_ID[feature_id].active(Plan())


def test_one_operator_counts_only_with_another():
    assert not BY_ID["MTV"].active(Plan(cluster=BLANK.but(**added("mtv"))))


PAIRS = [
    (one, other, version)
    for one, other in combinations(ASKED, 2)
    for version in ("4.12.1", "4.14.1", "4.20.1")
    if exclusion(BY_ID[one], BY_ID[other], version) is not None
    and all(BY_ID[each].active(plan_of(one, other)) for each in (one, other))
]
"""Every two features that exclude each other and can both be written down."""


@pytest.mark.parametrize(("one", "other", "version"), PAIRS)
def test_features_that_exclude_each_other_are_refused_together(one, other, version):
    plan = plan_of(one, other)
    assert plan.cluster is not None
    problems = problems_of(plan.but(cluster=plan.cluster.but(openshift_version=version)))
    words = (BY_ID[one].choice.words, BY_ID[other].choice.words)
    alone = [BY_ID[each].choice.words for each in (one, other)]
    assert any(
        all(word in problem for word in words) or problem.partition(": ")[2].startswith(tuple(alone))
        for problem in problems
    )


def test_the_pairs_that_are_tried_are_most_of_those_there_are():
    tried = {frozenset(pair[:2]) for pair in PAIRS}
    known = {frozenset((one, other)) for one in ASKED for other in BY_ID[one].excludes}
    cannot = {pair for pair in known - tried if not {"TYPE", "PLATFORM"} & {each.split("_")[-1] for each in pair}}
    assert cannot == {
        frozenset({"CLUSTER_MANAGED_NETWORKING", "USER_MANAGED_NETWORKING"}),
        *(frozenset({"PLATFORM_MANAGED_NETWORKING", each}) for each in ("VSPHERE_INTEGRATION", "NUTANIX_INTEGRATION")),
    }


@pytest.mark.parametrize("feature_id", [each for each in ASKED if each not in IMAGES])
@pytest.mark.parametrize("architecture", ["arm64", "s390x", "ppc64le", "multi"])
def test_a_feature_is_refused_on_an_architecture_that_does_not_have_it(feature_id, architecture):
    plan = plan_of(feature_id)
    assert plan.cluster is not None
    cluster = plan.cluster.but(cpu_architecture=architecture)
    support = BY_ID[feature_id].support(Context(version=cluster.openshift_version, architecture=architecture))
    problem = f"{BY_ID[feature_id].choice.words} is not possible on {architecture}"
    told = any(problem in each for each in feature_problems(cluster, plan.hosts))
    assert told is (support.level is Level.UNAVAILABLE and support.reason == "cpuArchitecture")


# What users write

OCI = {"type": "external", "external": {"platform_name": "oci", "cloud_controller_manager": "External"}}


@pytest.mark.parametrize(
    ("written", "sentence"),
    [
        (
            {"vip_dhcp_allocation": True},
            (
                "vip_dhcp_allocation: having virtual addresses from DHCP is no longer possible from OpenShift 4.15"
                " on, and the version is 4.20.33; set vip_dhcp_allocation to false and give api_vips and ingress_vips"
            ),
        ),
        (
            {"network_type": "OpenShiftSDN"},
            (
                "network_type: network type OpenShiftSDN is no longer possible from OpenShift 4.15 on, and the"
                " version is 4.20.33; use OVNKubernetes"
            ),
        ),
        (
            {"openshift_version": "4.10", "platform": {"type": "nutanix"}},
            (
                "platform.type: platform nutanix needs OpenShift 4.11 or newer, and the version is 4.10.9; choose"
                " another platform"
            ),
        ),
        (
            {"openshift_version": "4.12", "platform": OCI},
            (
                "platform.type: platform oci needs OpenShift 4.14 or newer, and the version is 4.12.30; choose another"
                " platform"
            ),
        ),
        (
            {"olm_operators": [{"name": "cnv"}], "platform": {"type": "vsphere"}},
            "olm_operators: operator cnv is not possible on platform vsphere; leave cnv out",
        ),
        (
            {"olm_operators": [{"name": "odf"}], "control_plane_count": 1},
            (
                "control_plane_count: a single node cannot be combined with operator odf; set control_plane_count to"
                " 3, or leave odf out"
            ),
        ),
        (
            {"olm_operators": [{"name": "lvm"}], "openshift_version": "4.14"},
            (
                "user_managed_networking: cluster-managed networking cannot be combined with operator lvm before"
                " OpenShift 4.15; set user_managed_networking to true, or leave lvm out"
            ),
        ),
        (
            {"openshift_version": "4.14", "load_balancer": {"type": "user-managed"}},
            (
                "load_balancer.type: a user-managed load balancer needs OpenShift 4.16 or newer, and the version is"
                " 4.14.8; set load_balancer.type to cluster-managed"
            ),
        ),
        (
            {"load_balancer": {"type": "user-managed"}, "user_managed_networking": True},
            (
                "user_managed_networking: user-managed networking cannot be combined with a user-managed load"
                " balancer; set user_managed_networking to false, or set load_balancer.type to cluster-managed"
            ),
        ),
        (
            {"openshift_version": "4.21", "control_plane_count": 5},
            (
                "control_plane_count: a control plane of more than 3 nodes is not possible on multi; set"
                " control_plane_count to 3"
            ),
        ),
        (
            {
                "openshift_version": "4.10",
                "api_vips": vips("10.0.0.5", "fd00::5"),
                "ingress_vips": vips("10.0.0.6", "::1"),
            },
            (
                "api_vips: a second virtual address needs OpenShift 4.12 or newer, and the version is 4.10.9; give one"
                " address in api_vips and one in ingress_vips"
            ),
        ),
    ],
)
def test_a_new_cluster_is_told_what_it_cannot_have_and_the_way_out(written, sentence):
    with pytest.raises(Invalid) as error:
        create(**written)
    assert sentence in str(error.value).splitlines()


def test_where_nothing_is_asked_for_nothing_is_wrong():
    assert not list(feature_problems(None))


def test_one_contradiction_is_told_once():
    with pytest.raises(Invalid) as error:
        create(control_plane_count=1, platform={"type": "vsphere"}, olm_operators=[{"name": "cnv"}])
    assert str(error.value) == "platform.type: vsphere is not possible for a single node; use none or external"


def test_what_cannot_be_had_comes_before_the_name():
    with pytest.raises(Invalid) as error:
        create(name="Bad", vip_dhcp_allocation=True)
    assert [line.split(":")[0] for line in str(error.value).splitlines()] == ["vip_dhcp_allocation", "name"]


@pytest.mark.parametrize(
    ("cluster", "written", "field"),
    [
        (a_cluster(), {"vip_dhcp_allocation": True}, "vip_dhcp_allocation"),
        (a_cluster(network_type="OpenShiftSDN"), {"tags": "x"}, "network_type"),
        (a_single_node(), {"olm_operators": [{"name": "odf"}]}, "control_plane_count"),
        (an_unmanaged_cluster(), {"load_balancer": {"type": "user-managed"}}, "platform.type"),
        (a_cluster(), {"platform": {"type": "vsphere"}, "control_plane_count": 5}, "control_plane_count"),
    ],
)
def test_a_changed_cluster_is_judged_as_it_would_become(cluster, written, field):
    with pytest.raises(Invalid, match=f"^{field}: "):
        patched(cluster, written)


def test_hosts_of_a_changed_cluster_count():
    with pytest.raises(
        Invalid, match=r"^host_role: a control plane with an arbiter is not possible on platform vsphere"
    ):
        patched(a_cluster(control_plane_count=2), {"platform": {"type": "vsphere"}}, HOSTS["TNA"])


def test_images_of_a_changed_cluster_count():
    images = (an_infra_env(name="pool"),)
    written = {"platform": OCI, "user_managed_networking": True}
    sentence = r"^image_type: a full-iso is not possible on platform oci \(infra-env pool\); use minimal-iso$"
    with pytest.raises(Invalid, match=sentence):
        patched(a_cluster(), written, infra_envs=images)
    for other in ({"cluster_id": None}, {"deleted": True}, {"type": ImageType.MINIMAL}):
        assert patched(a_cluster(), written, infra_envs=(images[0].but(**other),)).platform.platform_name == "oci"


def test_the_architecture_of_images_of_a_changed_cluster_counts():
    cluster = a_cluster(cpu_architecture="multi")
    images = (an_infra_env(name="arms", cpu_architecture="arm64"), an_infra_env(id="e2", cpu_architecture="x86_64"))
    with pytest.raises(Invalid) as error:
        patched(cluster, {"olm_operators": [{"name": "lso"}]}, infra_envs=images)
    assert str(error.value) == "olm_operators: operator lso is not possible on arm64 (infra-env arms); leave lso out"


def test_a_running_cluster_is_past_being_judged():
    assert patched(a_day2_cluster(network_type="OpenShiftSDN"), {"tags": "x"}).tags == "x"


def test_a_cluster_that_cannot_be_changed_says_so_first():
    with pytest.raises(Refused):
        patched(a_cluster(status=ClusterState.INSTALLING, network_type="OpenShiftSDN"), {"tags": "x"})


def test_an_architecture_on_which_the_version_does_not_run_is_all_that_is_told():
    cluster = an_unmanaged_cluster(openshift_version="4.9.1", cpu_architecture="arm64", network_type="OpenShiftSDN")
    assert list(feature_problems(cluster)) == [
        "cpu_architecture: arm64 needs OpenShift 4.10 or newer, and the version is 4.9.1; use x86_64"
    ]
    assert list(feature_problems(cluster.but(cpu_architecture="sparc"))) == [
        "cpu_architecture: 'sparc' is not known; use one of x86_64, arm64, ppc64le, s390x, multi"
    ]


@pytest.mark.parametrize(
    ("image", "cluster", "problems"),
    [
        (an_infra_env(type=ImageType.MINIMAL), None, []),
        (
            an_infra_env(type=ImageType.MINIMAL, cpu_architecture="s390x"),
            None,
            ["image_type: a minimal-iso is not possible on s390x (infra-env lab); use full-iso"],
        ),
        (
            an_infra_env(cpu_architecture="s390x", openshift_version="4.11"),
            None,
            [
                (
                    "cpu_architecture: s390x needs OpenShift 4.12 or newer, and the version is 4.11 (infra-env lab);"
                    " use x86_64"
                )
            ],
        ),
        (an_infra_env(cpu_architecture="s390x"), a_day2_cluster(cpu_architecture="multi"), []),
        (
            an_infra_env(cpu_architecture="s390x"),
            a_cluster(cpu_architecture="multi"),
            [
                (
                    "user_managed_networking: cluster-managed networking is not possible on s390x (infra-env lab);"
                    " set user_managed_networking to true"
                )
            ],
        ),
        (an_infra_env(), a_cluster(network_type="OpenShiftSDN"), []),
    ],
)
def test_an_image_is_judged_for_itself_and_its_cluster(image, cluster, problems):
    assert list(feature_problems(cluster, infra_env=image)) == problems
