"""Every operator that OLM can add: its place in the contract, its bundles, its neighbours."""

import pkgutil
from pathlib import Path

import pytest
import yaml

from builders import a_cluster
from muster.domain import operators
from muster.domain.features.operators import OPERATORS as FEATURES
from muster.domain.operators import OLM_OPERATORS
from muster.domain.operators.bundles import BUNDLES
from muster.domain.operators.operator import BundleId, settled
from muster.domain.operators.settings import OperatorSettings
from muster.domain.releases import at_least

SWAGGER = Path(__file__).parents[3] / "shared" / "reference" / "swagger.yaml"
SHARED = {"bundles", "everywhere", "gpus", "manifests", "operator", "rules", "settings", "setup_job", "storage"}
"""Modules that operators have in common."""

MANY, ONE = a_cluster(), a_cluster(control_plane_count=1)
SHIPPED = OperatorSettings()


def settled_in(cluster, name, field, settings=SHIPPED):
    return settled(getattr(OLM_OPERATORS[name], field), cluster, settings)


def test_every_module_makes_the_operator_of_its_name():
    modules = {module.name for module in pkgutil.iter_modules(operators.__path__)} - SHARED
    assert modules == {name.replace("-", "_") for name in OLM_OPERATORS}
    assert all(OLM_OPERATORS[name].name == name for name in OLM_OPERATORS)
    assert list(OLM_OPERATORS) == sorted(OLM_OPERATORS)


def published(name: str) -> set[str]:
    if not SWAGGER.exists():
        pytest.skip("the reference swagger.yaml is not there")
    return set(yaml.load(SWAGGER.read_text(), Loader=yaml.CSafeLoader)["definitions"][name]["enum"])


@pytest.mark.parametrize("kind", ["host-validation-id", "cluster-validation-id"])
def test_the_checks_of_operators_are_those_that_clients_know(kind):
    assert {operator.check for operator in OLM_OPERATORS.values()} <= published(kind)


WAITS = {"lso": 4200} | dict.fromkeys(("cnv", "mce", "mtv", "osc", "nmstate"), 3600)


@pytest.mark.parametrize("name", OLM_OPERATORS)
def test_an_installation_waits_half_an_hour_for_nearly_every_operator(name):
    assert OLM_OPERATORS[name].monitored(MANY, SHIPPED).timeout_seconds == WAITS.get(name, 1800)


@pytest.mark.parametrize("name", OLM_OPERATORS)
def test_an_operator_is_known_by_title_namespace_and_subscription(name):
    monitored = OLM_OPERATORS[name].monitored(MANY, SHIPPED)
    assert OLM_OPERATORS[name].title
    assert monitored.namespace
    assert monitored.subscription_name
    assert not OLM_OPERATORS[name].properties


def test_what_an_operator_is_called_depends_on_version_and_settings():
    old, new = a_cluster(openshift_version="4.11.9"), a_cluster(openshift_version="4.12.0-rc.3")
    assert settled_in(old, "lvm", "subscription") == "odf-lvm-operator"
    assert settled_in(new, "lvm", "subscription") == "lvms-operator"
    assert settled_in(MANY, "cnv", "namespace") == "openshift-cnv"
    assert settled_in(MANY, "cnv", "namespace", OperatorSettings(cnv_mode=False)) == "kubevirt-hyperconverged"


@pytest.mark.parametrize("cluster", [MANY, ONE], ids=["many", "one"])
@pytest.mark.parametrize("name", OLM_OPERATORS)
def test_an_operator_needs_only_operators_that_are_there(name, cluster):
    assert set(settled_in(cluster, name, "dependencies")) <= OLM_OPERATORS.keys() - {name}


def test_openshift_ai_brings_storage_along_on_a_single_node():
    assert settled_in(ONE, "openshift-ai", "dependencies") == ("lvm",)
    assert settled_in(MANY, "openshift-ai", "dependencies") == ()


# Bundles

VIRTUALIZATION = (
    "cluster-observability", "cnv", "fence-agents-remediation", "kube-descheduler", "loki", "metallb", "mtv",
    "nmstate", "node-healthcheck", "node-maintenance", "numaresources", "oadp", "openshift-logging",
)  # fmt: skip


def test_bundles_are_what_their_operators_say():
    virtualization, openshift_ai = BUNDLES["virtualization"], BUNDLES["openshift-ai"]
    assert virtualization.operators() == virtualization.operators(single_node=True) == VIRTUALIZATION
    assert virtualization.optional() == ()
    assert openshift_ai.operators() == ("authorino", "odf", "openshift-ai", "pipelines", "serverless", "servicemesh")
    assert openshift_ai.operators(single_node=True) == ("lvm", "openshift-ai")
    assert openshift_ai.optional() == openshift_ai.optional(single_node=True) == ("amd-gpu", "nvidia-gpu")


def test_every_bundle_has_a_title_and_a_description():
    assert BUNDLES.keys() == set(BundleId)
    assert all(bundle.title and bundle.description.endswith(".") for bundle in BUNDLES.values())


# Features say the same in another table


def test_every_operator_is_a_feature():
    assert {feature.operator for feature in FEATURES} == OLM_OPERATORS.keys()


@pytest.mark.parametrize("feature", FEATURES, ids=lambda feature: feature.operator)
def test_an_operator_and_its_feature_begin_with_the_same_version(feature):
    first = settled_in(ONE, feature.operator, "first_version")
    begins = feature.levels[0][0]
    assert first == begins or (at_least(first, begins) and at_least(begins, first))
