"""The choice of operators: what it brings along, what it lets go, what it cannot be."""

import pytest
from cluster_bodies import a_single_node, create, patch

from builders import NOW, a_cluster, a_policy
from muster.domain.errors import Invalid
from muster.domain.monitored import CONSOLE, OperatorStatus, OperatorType
from muster.domain.operators.settings import OperatorSettings

AI = {"id": "openshift-ai"}
SNO = {"control_plane_count": 1, "high_availability_mode": "None", "user_managed_networking": True}


def named(*names):
    return [{"name": name} for name in names]


def chosen(cluster):
    """The operators that OLM adds, by name."""
    return {each.name: each for each in cluster.operators if each.operator_type is OperatorType.OLM}


def asked(cluster):
    return {name for name, each in chosen(cluster).items() if not each.dependency_only}


def brought_along(cluster):
    return {name for name, each in chosen(cluster).items() if each.dependency_only}


def from_bundles(cluster):
    return {name: each.source_bundles for name, each in chosen(cluster).items() if each.source_bundles}


def test_a_chosen_operator_is_waited_for_where_it_lives():
    cluster = create(olm_operators=[{"name": "lso", "properties": '{"a":1}'}])
    local = chosen(cluster)["lso"]
    assert (local.namespace, local.subscription_name) == ("openshift-local-storage", "local-storage-operator")
    assert (local.timeout_seconds, local.properties, local.dependency_only) == (4200, '{"a":1}', False)
    assert cluster.operators[0] == CONSOLE


def test_an_old_name_means_the_new_one():
    assert asked(create(olm_operators=named("ocs"))) == {"odf"}


DEPENDENCIES = [
    ({"odf"}, {"lso"}),
    ({"mtv"}, {"cnv"}),
    ({"osc"}, {"node-feature-discovery"}),
    ({"nvidia-gpu"}, {"node-feature-discovery"}),
    ({"amd-gpu"}, {"node-feature-discovery", "kmm"}),
    ({"amd-gpu", "kmm"}, {"node-feature-discovery"}),
    ({"self-node-remediation", "fence-agents-remediation"}, {"node-healthcheck"}),
    ({"openshift-logging"}, {"loki"}),
    ({"cluster-observability"}, {"openshift-logging", "loki"}),
    ({"openshift-ai"}, set()),
]


@pytest.mark.parametrize(("names", "others"), DEPENDENCIES)
def test_an_operator_brings_along_what_it_cannot_be_without(names, others):
    cluster = create(olm_operators=named(*names))
    assert (asked(cluster), brought_along(cluster)) == (names, others)


def test_what_was_brought_along_goes_when_it_is_no_longer_needed():
    cluster = create(olm_operators=named("mtv", "odf"))
    assert brought_along(cluster) == {"cnv", "lso"}
    fewer = patch(cluster, olm_operators=named("odf"))
    assert (asked(fewer), brought_along(fewer)) == ({"odf"}, {"lso"})
    assert patch(fewer, olm_operators=[]).operators == (CONSOLE,)


def test_what_was_brought_along_may_be_asked_for():
    cluster = patch(create(olm_operators=named("odf")), olm_operators=named("odf", "lso"))
    assert (asked(cluster), brought_along(cluster)) == ({"odf", "lso"}, set())


def test_a_bundle_is_its_operators_and_those_chosen_of_its_optional_ones():
    cluster = create(operator_bundles=[{**AI, "optional_operators": ["nvidia-gpu"]}])
    members = {"authorino", "nvidia-gpu", "odf", "openshift-ai", "pipelines", "serverless", "servicemesh"}
    assert from_bundles(cluster) == dict.fromkeys(members, ("openshift-ai",))
    assert brought_along(cluster) == {"lso", "node-feature-discovery"}


def test_an_operator_chosen_by_itself_is_not_the_bundles():
    cluster = create(operator_bundles=[AI], olm_operators=named("pipelines", "lso"))
    assert chosen(cluster)["pipelines"].source_bundles == ()
    assert chosen(cluster)["odf"].source_bundles == ("openshift-ai",)
    assert brought_along(cluster) == set()


def test_a_choice_takes_the_place_of_the_whole_choice_before():
    cluster = create(operator_bundles=[AI])
    assert asked(patch(cluster, olm_operators=named("lso"))) == {"lso"}
    assert patch(cluster, operator_bundles=[]).operators == (CONSOLE,)
    assert patch(cluster, tags="x").operators == cluster.operators


def test_how_an_operator_is_doing_outlives_a_new_choice():
    cluster = create(olm_operators=named("lso"))
    up = chosen(cluster)["lso"].but(status=OperatorStatus.AVAILABLE, status_updated_at=NOW)
    cluster = cluster.but(operators=(CONSOLE, up))
    assert chosen(patch(cluster, olm_operators=named("lso", "metallb")))["lso"] == up


# A single node


def test_a_bundle_on_a_single_node_is_what_it_is_there():
    cluster = create(operator_bundles=[{**AI, "optional_operators": ["amd-gpu"]}], **SNO)
    assert set(from_bundles(cluster)) == {"lvm", "openshift-ai", "amd-gpu"}
    assert "odf" not in chosen(cluster)


def test_openshift_ai_by_itself_brings_storage_along_on_a_single_node():
    cluster = create(olm_operators=named("openshift-ai"), **SNO)
    assert brought_along(cluster) == {"lvm"}


def test_a_choice_is_thought_through_again_when_a_single_node_is_to_be_more():
    bundle = [{**AI, "optional_operators": ["nvidia-gpu"]}]
    one = create(operator_bundles=bundle, olm_operators=[{"name": "mce", "properties": "{}"}], **SNO)
    many = patch(one, control_plane_count=3)
    assert set(from_bundles(many)) == {
        "authorino", "odf", "openshift-ai", "pipelines", "serverless", "servicemesh", "nvidia-gpu",
    }  # fmt: skip
    assert (chosen(many)["mce"].properties, "lvm" in chosen(many)) == ("{}", False)
    assert brought_along(many) == {"lso", "node-feature-discovery"}


# What cannot be


@pytest.mark.parametrize(
    ("path", "written"),
    [
        ("olm_operators[1].name", {"olm_operators": named("lso", "nosuch")}),
        ("olm_operators[0].name", {"olm_operators": [{}]}),
        ("operator_bundles[0].id", {"operator_bundles": [{"id": "nosuch"}]}),
        ("operator_bundles[0].optional_operators", {"operator_bundles": [{**AI, "optional_operators": ["lvm"]}]}),
    ],
)
def test_what_is_not_on_offer_is_refused_with_the_path_of_its_field(path, written):
    for write in (create, lambda **written: patch(a_cluster(), **written)):
        with pytest.raises(Invalid) as error:
            write(**written)
        assert str(error.value).startswith(f"{path}: ")


BOTH = named("lvm", "cnv")


@pytest.mark.parametrize(
    "cluster", [a_single_node(openshift_version="4.11.9"), a_cluster(openshift_version="4.14.9")], ids=["one", "many"]
)
def test_volumes_and_virtual_machines_cannot_be_together_in_old_versions(cluster):
    with pytest.raises(Invalid, match="olm_operators: lvm and cnv can be together on") as error:
        patch(cluster, olm_operators=BOTH)
    assert cluster.openshift_version in str(error.value)


@pytest.mark.parametrize(
    "cluster", [a_single_node(openshift_version="4.12.0"), a_cluster(openshift_version="4.15.0")], ids=["one", "many"]
)
def test_volumes_and_virtual_machines_can_be_together_in_newer_versions(cluster):
    assert asked(patch(cluster, olm_operators=BOTH)) == {"lvm", "cnv"}


def test_a_new_cluster_cannot_have_them_together_either():
    with pytest.raises(Invalid, match=r"from OpenShift 4\.15 on"):
        create(openshift_version="4.14", olm_operators=BOTH)


def test_what_comes_with_a_bundle_counts_too():
    with pytest.raises(Invalid, match="lvm and cnv"):
        create(openshift_version="4.14", operator_bundles=[{"id": "virtualization"}], olm_operators=named("lvm"))


def test_where_an_operator_lives_follows_the_settings():
    policy = a_policy(operators=OperatorSettings(cnv_mode=False))
    assert chosen(create(policy, olm_operators=named("cnv")))["cnv"].namespace == "kubevirt-hyperconverged"
