"""What users may lay over the install-config of a cluster, and what follows from it."""

import json
from typing import Any

import pytest

from builders import a_cluster, a_host, a_policy, a_running_cluster, a_view, an_infra_env
from muster.domain.artifacts.install_schema import INSTALL_CONFIG, misfits, spelled
from muster.domain.clusters import Cluster, ClusterState
from muster.domain.decide import decide
from muster.domain.draft import Decision
from muster.domain.errors import Invalid
from muster.domain.inputs.install_configs import install_config_text, lacks_console
from muster.domain.monitored import CLUSTER_VERSION, CONSOLE, OperatorStatus
from muster.domain.triggers import KeepUiSettings, OverrideInstallConfig
from muster.domain.trust import Mirrors, Trust

BARE = {"capabilities": {"baselineCapabilitySet": "None"}}
WITH_CONSOLE = {"capabilities": {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["Console"]}}
CERTIFICATE = "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n"


def overriding(wish: Any, cluster: Cluster | None = None, hosts: tuple[Any, ...] = ()) -> Decision:
    text = wish if isinstance(wish, str) else json.dumps(wish)
    view = a_view(cluster or a_cluster(operators=(CONSOLE,)), hosts)
    return decide(view, OverrideInstallConfig(overrides=text))


def refusal_of(wish: Any, **changes: Any) -> str:
    (outcome,) = overriding(wish, **changes).outcomes
    assert isinstance(outcome, Invalid)
    return str(outcome)


def test_what_a_user_lays_over_the_install_config_is_kept_as_it_was_written_and_told():
    decision = overriding('{"fips" : true}')
    assert decision.outcomes == (None,)
    assert decision.cluster.install_config_overrides == '{"fips" : true}'
    assert "install_config_applied" in [event.name for event in decision.events]
    assert json.loads(install_config_text(decision.view))["fips"] is True


def test_changes_take_the_place_of_those_before_and_none_at_all_takes_them_away():
    cluster = a_cluster(operators=(CONSOLE,), install_config_overrides='{"fips": true}')
    for wish in ("", "{}"):
        decision = overriding(wish, cluster)
        assert decision.cluster.install_config_overrides == wish
        assert json.loads(install_config_text(decision.view))["fips"] is False


@pytest.mark.parametrize("state", list(ClusterState))
def test_the_state_of_the_cluster_does_not_matter(state):
    assert overriding({"fips": True}, a_cluster(status=state)).outcomes == (None,)


@pytest.mark.parametrize("text", ["hunter2", "[]", '"hunter2"', "null", '{"fips": true', "[" * 100_000])
def test_what_is_no_object_is_refused_without_being_quoted(text):
    said = refusal_of(text)
    assert said == 'install_config_overrides: must be the text of a JSON object, such as {"fips": true}'


def test_everything_that_is_wrong_is_told_at_once_with_its_path_and_without_what_stands_there():
    said = refusal_of(
        {
            "pullSecret": {"hunter2": "hunter2"},
            "fipz": "hunter2",
            "networking": {"machineNetwork": [{"cidr": "hunter2"}, {"cidr": 5, "size": 3}], "serviceNetwork": "x"},
            "controlPlane": {"replicas": "hunter2", "hyperthreading": "on"},
            "compute": {"name": "worker"},
            "platform": {"none": {"hunter": 2}},
            "additionalTrustBundlePolicy": ["Always"],
            "bootstrapInPlace": 1.5,
        }
    )
    at = "install_config_overrides"
    second = f"{at}.networking.machineNetwork[1]"
    assert said.split("\n") == [
        f"{at}.pullSecret: must be a text, and is an object",
        f"{at}.fipz: is not known to the installer; {at} may hold {', '.join(INSTALL_CONFIG)}",
        f"{at}.networking.machineNetwork[1].cidr: must be a text, and is a number",
        f"{at}.networking.machineNetwork[1].size: is not known to the installer; {second} may hold cidr",
        f"{at}.networking.serviceNetwork: must be a list, and is a text",
        f"{at}.controlPlane.replicas: must be a number, and is a text",
        f"{at}.controlPlane.hyperthreading: must be one of Disabled, Enabled",
        f"{at}.compute: must be a list, and is an object",
        f"{at}.platform.none.hunter: is not known to the installer; {at}.platform.none may hold nothing",
        f"{at}.additionalTrustBundlePolicy: must be one of Always, Proxyonly",
        f"{at}.bootstrapInPlace: must be an object, and is a fraction",
    ]


def test_keys_may_be_written_in_any_case_and_mean_the_same():
    wish = {"FIPS": True, "platform": {"BareMetal": {"APIVIPs": ["192.168.1.9"]}}, "Compute": [{"Replicas": 7}]}
    decision = overriding(wish)
    config = json.loads(install_config_text(decision.view))
    assert config["fips"] is True
    assert config["platform"]["baremetal"]["apiVIPs"] == ["192.168.1.9"]
    assert config["compute"] == [{"name": "worker", "replicas": 7, "hyperthreading": "Enabled"}]
    assert not {"FIPS", "Compute"} & config.keys()


def test_a_wish_of_nothing_takes_a_key_away():
    decision = overriding({"sshKey": None})
    assert "sshKey" not in json.loads(install_config_text(decision.view))


def test_everything_that_is_generated_could_have_been_written_by_a_user():
    view = a_view(a_cluster(), [a_host("h1")])
    config = json.loads(install_config_text(view))
    assert list(misfits(config, "config")) == []
    assert spelled(config) == config


@pytest.mark.parametrize(("bundle", "fits"), [(CERTIFICATE, True), ("hunter2", False)])
def test_a_trust_bundle_has_to_consist_of_certificates(bundle, fits):
    (outcome,) = overriding({"additionalTrustBundle": bundle}).outcomes
    assert (outcome is None) is fits
    assert fits or "additionalTrustBundle: must consist of certificates in PEM form" in str(outcome)
    assert "hunter2" not in str(outcome)


def test_hosts_that_no_install_config_could_be_made_for_are_named():
    said = refusal_of({"fips": True}, cluster=a_cluster(machine_networks=()), hosts=(a_host("h1"),))
    assert "host h1 has no interface with an address in a machine network (none is set)" in said


def test_authorities_of_discovery_images_are_part_of_the_install_config():
    view = a_view(infra_envs={"e": an_infra_env(additional_trust_bundle=CERTIFICATE)})
    assert json.loads(install_config_text(view))["additionalTrustBundle"] == CERTIFICATE


def test_mirrors_and_authorities_of_the_service_are_part_of_the_install_config():
    mirrored = '[[registry]]\nlocation = "quay.io"\n[[registry.mirror]]\nlocation = "mirror.local"\n'
    policy = a_policy(trust=Trust(vendor_ca=CERTIFICATE, mirrors=Mirrors(registries=mirrored)))
    config = json.loads(install_config_text(a_view(policy=policy)))
    assert config["imageDigestSources"] == [{"source": "quay.io", "mirrors": ["mirror.local"]}]
    assert config["additionalTrustBundle"] == CERTIFICATE
    assert list(misfits(config, "config")) == []


def test_there_is_no_install_config_for_a_cluster_that_runs():
    with pytest.raises(Invalid, match="runs already"):
        install_config_text(a_view(a_running_cluster()))


# The console


@pytest.mark.parametrize(
    ("version", "wish", "watched"),
    [
        ("4.20.1", {}, True),
        ("4.20.1", BARE, False),
        ("4.20.1", WITH_CONSOLE, True),
        ("4.20.1", {"capabilities": {"baselineCapabilitySet": "v4.11"}}, True),
        ("4.20.1", {"capabilities": None}, True),
        ("4.11.9", BARE, True),
    ],
)
def test_a_console_that_will_not_be_there_is_not_waited_for(version, wish, watched):
    decision = overriding(wish, a_cluster(openshift_version=version, operators=(CONSOLE, CLUSTER_VERSION)))
    assert ("console" in [each.name for each in decision.cluster.operators]) is watched
    assert lacks_console(decision.cluster) is not watched
    assert CLUSTER_VERSION in decision.cluster.operators


def test_a_console_that_is_wanted_after_all_is_waited_for_again():
    without = overriding(BARE).cluster
    assert without.operators == ()
    assert overriding({}, without).cluster.operators == (CONSOLE,)


def test_what_is_known_of_the_console_stays_known():
    known = CONSOLE.but(status=OperatorStatus.AVAILABLE)
    assert overriding({"fips": True}, a_cluster(operators=(known,))).cluster.operators == (known,)


def test_nothing_is_waited_for_in_a_cluster_that_runs():
    decision = overriding({"fips": True}, a_running_cluster())
    assert decision.outcomes == (None,)
    assert decision.cluster.operators == ()


# What user interfaces keep


def test_what_a_user_interface_keeps_means_nothing_here():
    decision = decide(a_view(), KeepUiSettings(settings='{"any": "thing"'))
    assert decision.cluster.ui_settings == '{"any": "thing"'
    assert decision.cluster.but(ui_settings="", updated_at=decision.view.now) == decide(a_view()).cluster.but(
        updated_at=decision.view.now
    )
