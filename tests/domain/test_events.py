"""What is told to the user: names and severities that clients know, in sentences of ours."""

import inspect
import re
from pathlib import Path

import pytest

from builders import CLUSTER_ID, INFRA_ENV_ID, a_cluster, a_host, an_infra_env
from muster.domain import events
from muster.domain.clusters import Cluster, ClusterState
from muster.domain.events import Event, Severity
from muster.domain.hosts import Host, HostState
from muster.domain.infra_envs import InfraEnv
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
    for name, tell in inspect.getmembers(events, inspect.isfunction)
    if tell.__module__ == events.__name__ and not name.startswith("_")
}

WARNINGS = {
    "cluster_validation_failed", "prepare_installation_failed", "installation_preparing_timed_out",
    "cluster_degraded_olm_operators_failed", "finalizing_stage_timed_out", "host_validation_failed",
    "disk_speed_slower_than_supported", "host_stage_timed_out", "api_ingress_vip_timed_out",
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
    event = events.host_status_updated(a_host("h1", status=state, status_info="because"), HostState.KNOWN)
    assert event.severity is severity
    assert event.message == f"Host h1: was known, is now {state}: because"


@pytest.mark.parametrize("state", ClusterState)
def test_a_new_state_of_a_cluster_is_told_with_its_words(state):
    event = events.cluster_status_updated(a_cluster(status=state, status_info="because"))
    assert (event.severity, event.message) == (Severity.INFO, f"Cluster lab is now {state}: because")


@pytest.mark.parametrize(("info", "end"), [("", "Rebooting"), ("60%", "Rebooting (60%)")])
def test_a_stage_is_told_with_how_far_it_is(info, end):
    host = a_host("h1", progress=HostProgress(current_stage=Stage.REBOOTING, progress_info=info))
    assert events.host_install_progress_updated(host).message == f"Host h1: reached stage {end}"


def test_an_operator_without_a_status_is_told_as_unknown():
    assert "is unknown: " in events.cluster_operator_status(a_cluster(), "console", "", "thinking").message


OURS = {"host_identity_clash", "host_identity_settled"}
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
