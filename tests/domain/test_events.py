"""What is told to the user: names and severities that clients know, in sentences of ours."""

import inspect
import re
from datetime import timedelta
from pathlib import Path

import pytest
from pages.events import NOT_TOLD, REPORTED, told_in

from builders import CLUSTER_ID, INFRA_ENV_ID, a_cluster, a_host, an_infra_env
from muster.domain import events, host_events
from muster.domain.clusters import Cluster, ClusterState
from muster.domain.events import Event, Severity
from muster.domain.hosts import Host, HostState
from muster.domain.infra_envs import InfraEnv
from muster.domain.policy import Policy
from muster.domain.progress import HostProgress, Stage
from muster.domain.triggers import Registered

SAMPLES = {
    Cluster: a_cluster(status_info="words", ignored_host_validations=("all",)),
    Host: a_host("h1", status_info="words"),
    InfraEnv: an_infra_env(),
    HostState: HostState.KNOWN,
    str: "text",
    int: 7,
    tuple[str, ...]: ("a", "b"),
    Registered: Registered(host_id="h1", infra_env_id=INFRA_ENV_ID),
    str | None: CLUSTER_ID,
}

TELLING = {
    name: tell
    for module in (events, host_events)
    for name, tell in inspect.getmembers(module, inspect.isfunction)
    if tell.__module__ == module.__name__ and not name.startswith("_")
}

WARNINGS = {
    "cluster_validation_failed", "prepare_installation_failed", "installation_preparing_timed_out",
    "cluster_degraded_olm_operators_failed", "finalizing_stage_timed_out", "host_validation_failed",
    "kubeconfig_delayed", "disk_speed_slower_than_supported", "host_stage_timed_out", "api_ingress_vip_timed_out",
}  # fmt: skip
ERRORS = {name for name in TELLING if name.endswith("_failed")} - WARNINGS | {"host_identity_clash"}
SEVERITIES = (
    dict.fromkeys(TELLING, Severity.INFO)
    | dict.fromkeys(WARNINGS, Severity.WARNING)
    | dict.fromkeys(ERRORS, Severity.ERROR)
    | {"cluster_installation_failed": Severity.CRITICAL, "host_media_disconnected": Severity.ERROR}
)


def told(name: str) -> Event:
    """An event about something ordinary."""
    tell = TELLING[name]
    return tell(*(SAMPLES[each.annotation] for each in inspect.signature(tell).parameters.values()))


@pytest.mark.parametrize("name", TELLING)
def test_an_event_has_its_own_name_a_severity_and_a_sentence(name):
    event = told(name)
    assert event.name.lower() == name
    assert event.severity is SEVERITIES[name]
    assert event.message == event.message.strip()
    assert not set("{}") & set(event.message)
    assert event.category == "user"


@pytest.mark.parametrize("name", TELLING)
def test_an_event_is_about_something(name):
    event = told(name)
    first = next(iter(inspect.signature(TELLING[name]).parameters.values())).annotation
    assert event.cluster_id == CLUSTER_ID
    assert event.host_id == ("h1" if first in (Host, Registered) else None)
    assert event.infra_env_id == (None if first is Cluster else INFRA_ENV_ID)


@pytest.mark.parametrize("name", TELLING)
def test_an_event_says_what_it_means(name):
    meaning = inspect.getdoc(TELLING[name])
    assert meaning.endswith(".")
    assert meaning[0].isupper()


def test_no_event_shows_a_secret():
    for name in TELLING:
        assert SAMPLES[Cluster].pull_secret not in told(name).message


@pytest.mark.parametrize(
    ("state", "severity"),
    [
        (each, Severity.WARNING)
        for each in (HostState.DISCONNECTED, HostState.INSUFFICIENT, HostState.PENDING_USER_ACTION)
    ]
    + [(HostState.ERROR, Severity.ERROR)]
    + [
        (each, Severity.INFO)
        for each in HostState
        if each not in {HostState.DISCONNECTED, HostState.INSUFFICIENT, HostState.PENDING_USER_ACTION, HostState.ERROR}
    ],
)
def test_how_much_a_new_state_of_a_host_matters(state, severity):
    event = host_events.host_status_updated(a_host("h1", status=state, status_info="because"), HostState.KNOWN)
    assert event.severity is severity
    assert event.message == f"Host h1: was known, is now {state}: because"


@pytest.mark.parametrize("state", ClusterState)
def test_a_new_state_of_a_cluster_is_told_with_its_words(state):
    event = events.cluster_status_updated(a_cluster(status=state, status_info="because"))
    assert (event.severity, event.message) == (Severity.INFO, f"Cluster lab is now {state}: because")


@pytest.mark.parametrize(("info", "end"), [("", "Rebooting"), ("60%", "Rebooting (60%)")])
def test_a_stage_is_told_with_how_far_it_is(info, end):
    host = a_host("h1", progress=HostProgress(current_stage=Stage.REBOOTING, progress_info=info))
    assert host_events.host_install_progress_updated(host).message == f"Host h1: reached stage {end}"


def test_an_operator_without_a_status_is_told_as_unknown():
    assert "is unknown: " in events.cluster_operator_status(a_cluster(), "console", "", "thinking").message


def test_an_operator_that_says_nothing_is_told_in_a_whole_sentence():
    assert events.cluster_operator_status(a_cluster(), "console", "available", "").message.endswith("is available")


OURS = {"host_identity_clash", "host_identity_settled", "kubeconfig_delayed"}
"""Events that no other service tells."""

REFERENCE = Path(__file__).parents[3] / "shared" / "reference" / "rest-api.md"


@pytest.fixture(scope="module")
def catalogue():
    """The severity of every event that clients know."""
    if not REFERENCE.exists():
        pytest.skip("the reference catalogue of events is not at hand")
    section = REFERENCE.read_text().partition("### 5.5")[2].partition("### 5.6")[0]
    rows = re.findall(r"^\| ([\w †,/]+) \| [CHI][^|]* \| ([^|]+) \|", section, re.MULTILINE)
    known = {}
    for names, severities in rows:
        listed = [name.strip(" †") for name in re.split(r"[,/]", names)]
        each = [severity.strip() for severity in severities.split("/")]
        known |= dict(zip(listed, each if len(each) == len(listed) else each * len(listed), strict=True))
    return known


@pytest.mark.parametrize("name", sorted(set(TELLING) - OURS))
def test_an_event_is_one_that_clients_know(catalogue, name):
    event = told(name)
    assert event.name in catalogue
    assert catalogue[event.name].startswith((event.severity, "dynamic"))


KNOWN_TO_CLIENTS = """
    after_inactivity_cluster_deregistered api_ingress_vip_timed_out api_ingress_vip_updated cancel_install_commit_failed
    cancel_install_start_failed cancel_installation_failed cluster_degraded_OLM_operators_failed
    cluster_deregister_failed cluster_deregistered cluster_finalizing_stage_updated cluster_installation_canceled
    cluster_installation_completed cluster_installation_failed cluster_installation_reset cluster_logs_uploaded
    cluster_operator_report cluster_operator_status cluster_prepare_installation_started cluster_registration_succeeded
    cluster_status_updated cluster_validation_failed cluster_validation_fixed clusters_permanently_deleted
    disk_speed_slower_than_supported existing_image_reused expired_image_deleted finalizing_stage_timed_out
    generate_image_fetch_failed generate_image_format_failed generate_minimal_iso_failed host_approved_updated
    host_bind_failed host_bind_succeeded host_boot_logs_uploaded host_bootstrap_set host_cancel_installation_failed
    host_deregistered host_discovery_ignition_config_applied host_install_progress_updated host_installation_cancelled
    host_installation_reset host_installation_reset_failed host_installation_started host_installer_args_applied
    host_logs_uploaded host_media_disconnected host_registration_failed host_registration_setting_properties_failed
    host_registration_succeeded host_reset_fetch_failed host_role_updated host_set_status_failed host_stage_timed_out
    host_status_updated host_unbind_failed host_unbind_succeeded host_validation_failed host_validation_fixed
    ignition_config_image_generated image_info_updated image_status_updated inactive_clusters_deregistered
    infra_env_deregister_failed infra_env_deregistered infra_env_registered infra_env_registration_failed
    install_config_applied installation_preparing_timed_out prepare_installation_failed proxy_settings_changed
    quick_disk_format_performed quick_disk_format_skipped reboots_for_node reset_installation_failed
    upgrade_agent_failed upgrade_agent_finished upgrade_agent_started upload_image_failed
    user_required_complete_installation_reset validations_ignored
"""

OUR_OWN = {"host_identity_clash", "host_identity_settled", "kubeconfig_delayed"}


def test_every_event_that_clients_know_is_told_reported_or_explained():
    names = {told(name).name for name in TELLING}
    assert not names & NOT_TOLD.keys()
    assert names | NOT_TOLD.keys() | REPORTED.keys() == OUR_OWN.union(KNOWN_TO_CLIENTS.split())


def test_every_event_is_told_somewhere():
    assert TELLING.keys() <= told_in().keys()


def test_events_are_alike_that_tell_the_same_of_the_same():
    event = told("host_registration_succeeded")
    assert event.alike == event.but(message="else", severity=Severity.ERROR).alike
    assert event.alike != event.but(host_id="h2").alike


def test_what_would_be_told_again_and_again_is_told_seldom_unless_said_otherwise():
    hour = timedelta(hours=1)
    policy = Policy(event_limits={"host_registration_succeeded": 2 * hour})
    assert Policy().event_limit("upgrade_agent_failed") == hour
    assert policy.event_limit("upgrade_agent_failed") == hour
    assert policy.event_limit("host_registration_succeeded") == 2 * hour
    assert Policy().event_limit("host_registration_failed") == timedelta(minutes=10)
    assert policy.event_limit("host_status_updated") is None
