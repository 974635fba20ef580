"""Records as clients read them: nulls, zeros, moments, and texts that hold documents."""

import json
from datetime import UTC, datetime, timedelta

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import NOW, a_cluster, a_host, a_machine, a_nic, a_ready_host, a_view, an_infra_env
from muster.domain.clusters import ClusterState, Preparation, PreparationStatus
from muster.domain.events import Event, EventPage, Severity
from muster.domain.hosts import DiskSpeed
from muster.domain.infra_envs import ImageType
from muster.domain.monitored import CONSOLE, MonitoredOperator, OperatorType
from muster.domain.networks import ClusterNetwork, Vip, VipVerification
from muster.domain.operators import OLM_OPERATORS
from muster.domain.record import record_patch
from muster.domain.roles import Role
from muster.domain.validations.catalogue import CLUSTER_VALIDATIONS, HOST_VALIDATIONS, Assessment, assess_host
from muster.domain.verdicts import Finding, Status
from muster.domain.views import HostView, peers_of
from muster.wire.clusters import cluster_out, host_networks, hosts_out, image_info, operator_out, without_hosts
from muster.wire.endpoints import ENDPOINTS
from muster.wire.endpoints.hosts import GET_HOST
from muster.wire.events import event_out, page_out
from muster.wire.hosts import PATIENCE, WrittenHosts, host_out, host_written, registration_out, validations_text
from muster.wire.infra_envs import download_url, infra_env_out
from muster.wire.json import filled, text
from muster.wire.moments import NEVER, micros, millis
from muster.wire.muster import explained, replayed

moments = st.datetimes(min_value=datetime(1970, 1, 1), max_value=datetime(2999, 1, 1)).map(  # noqa: DTZ001 - made UTC next
    lambda each: each.replace(tzinfo=UTC)
)


@given(moment=moments)
def test_a_moment_reads_back_as_far_as_it_is_written(moment):
    assert datetime.fromisoformat(micros(moment)) == moment
    exact = timedelta(microseconds=moment.microsecond % 1000)
    assert datetime.fromisoformat(millis(moment)) == moment - exact


def test_moments_are_written_as_clients_know_them():
    assert millis(NOW) == "2026-01-02T03:04:05.000Z"
    assert millis(None) == NEVER
    assert micros(NOW) == "2026-01-02T03:04:05Z"
    assert micros(NOW.replace(microsecond=120_000)) == "2026-01-02T03:04:05.12Z"


def test_empty_false_and_zero_are_left_out():
    kept = {"a": "x", "b": 1, "c": True, "d": [], "e": 0.5}
    assert filled({**kept, "f": "", "g": 0, "h": False, "i": None, "j": 0.0}) == kept


def test_equal_documents_are_equal_texts():
    assert text({"b": 1, "a": (1, 2)}) == text({"a": [1, 2], "b": 1}) == '{"a":[1,2],"b":1}'


# Hosts


def test_documents_of_a_host_are_texts():
    host = a_ready_host("h1", disk_speeds={"/dev/sda": DiskSpeed(tested=True, speed_ms=3)}, installer_args=("--x",))
    out = host_out(host, NOW)
    assert json.loads(out["inventory"]) == json.loads(msgspec.json.encode(a_ready_host("h1").inventory))
    assert json.loads(out["disks_info"])["/dev/sda"]["disk_speed"] == {"tested": True, "speed_ms": 3}
    assert json.loads(out["installer_args"]) == ["--x"]
    assert out["timestamp"] == int(NOW.timestamp())


def test_a_host_that_has_said_nothing_has_none_of_them():
    out = host_out(a_host("h1", inventory=None, requested_hostname=""))
    assert not {"inventory", "connectivity", "disks_info", "validations_info", "timestamp", "media_status"} & set(out)
    assert (out["requested_hostname"], out["checked_in_at"]) == ("h1", millis(NOW))


def test_in_a_list_a_host_has_only_the_name_it_was_given():
    assert host_out(a_host("h1", requested_hostname=""), full=False).get("requested_hostname") is None
    assert host_out(a_host("h1", requested_hostname="one"), full=False)["requested_hostname"] == "one"
    assert host_out(a_host("h1"), full=False)["progress_stages"] is None


def test_the_only_host_of_a_cluster_goes_through_stages_of_its_own():
    host = a_host("h1", bootstrap=True)
    assert host_out(host)["progress_stages"] != host_out(host, single_node=True)["progress_stages"]


def test_a_host_that_registers_is_not_judged_yet():
    judged = a_host("h1", verdicts={"has-inventory": Finding(status=Status.SUCCESS, message="x")})
    out = registration_out(judged, "agent:1")
    assert not {"progress", "validations_info"} & set(out)
    assert json.loads(out["next_step_runner_command"]["args"][0])["agent_version"] == "agent:1"


def test_media_that_cannot_be_read_is_told():
    assert host_out(a_host("h1", media_connected=False))["media_status"] == "disconnected"


def test_verdicts_are_grouped_by_category():
    verdicts = {name: Finding(status=Status.SUCCESS, message="fine") for name in ("has-inventory", "connected", "odd")}
    groups = json.loads(validations_text(verdicts, {"has-inventory": "hardware", "connected": "network"}, pooled=True))
    assert {name: [each["id"] for each in group] for name, group in groups.items()} == {
        "hardware": ["has-inventory"],
        "network": ["connected"],
        "operators": ["odd"],
    }
    assert validations_text({}, {}) == ""


def test_operators_that_are_not_selected_are_told_of_all_the_same():
    checks = sorted(operator.check for operator in OLM_OPERATORS.values())
    fine = Finding(status=Status.SUCCESS, message="fine")
    lacking = Finding(status=Status.FAILURE, message="too little memory")
    for verdicts in ({"connected": fine}, {"connected": fine, "odf-requirements-satisfied": lacking}):
        told = json.loads(validations_text(verdicts, {"connected": "network"}))["operators"]
        assert [each["id"] for each in told] == checks
        by_id = {each["id"]: (each["status"], each["message"]) for each in told}
        assert by_id["lso-requirements-satisfied"] == ("success", "The operator is disabled")
        assert (by_id["odf-requirements-satisfied"][0] == "failure") == (len(verdicts) > 1)


def test_a_host_is_written_once_for_as_long_as_it_is_the_same():
    host, seen = a_host("h1", clock_skew=3), NOW + timedelta(seconds=9)
    for shown in (host, host, host.but(requested_hostname="other")):
        for full in (True, False):
            out = json.loads(bytes(host_written(shown, seen, full=full)))
            assert out == json.loads(msgspec.json.encode(host_out(shown, seen, full=full)))


def test_a_host_that_was_written_whole_can_be_written_without_some_of_it():
    host, seen = a_host("h1"), NOW
    whole = json.loads(bytes(host_written(host, seen)))
    assert "inventory" in whole
    brief = json.loads(bytes(host_written(host, seen, without=frozenset({"inventory"}))))
    assert brief == {key: value for key, value in whole.items() if key != "inventory"}
    assert json.loads(bytes(host_written(host, seen))) == whole


def test_the_hosts_of_a_cluster_are_the_same_alone_and_within_it():
    view = a_view(a_cluster(), [a_host("h1"), a_host("h2", requested_hostname="")])
    for full in (True, False):
        within = msgspec.json.decode(msgspec.json.encode(cluster_out(view, full=full)["hosts"]))
        assert within == msgspec.json.decode(msgspec.json.encode(hosts_out(view, full=full)))


def test_no_more_hosts_are_kept_written_than_there_is_room_for():
    one, two = a_host("h1"), a_host("h2")
    written = WrittenHosts(most_bytes=len(WrittenHosts(0).of(one)) + 100)
    first = written.of(one)
    assert written.of(one) is first
    changed = one.but(logs_info="requested")
    assert written.of(changed) != first
    assert written.of(two) is not written.of(two)
    assert written.of(changed) is written.of(changed)


def test_what_is_kept_written_of_hosts_that_nobody_asks_for_any_more_makes_room():
    one, two = a_host("h1"), a_host("h2")
    written = WrittenHosts(most_bytes=len(WrittenHosts(0).of(one)) + 100)
    first = written.of(one)
    for _ in range(PATIENCE * 2 + 1):
        last = written.of(two)
    assert written.of(two) is last
    assert written.of(one) is not first


# Clusters


def test_a_cluster_without_anything_is_written_with_all_its_nulls():
    out = cluster_out(a_view(a_cluster(ip_collisions={})))
    assert (out["deleted_at"], out["hosts"], out["host_networks"], out["last-installation-preparation"]) == (
        None,
        [],
        [],
        {},
    )
    assert (out["schedulable_masters"], out["vip_dhcp_allocation"], out["ignition_endpoint"]) == (False, False, {})
    assert (out["ip_collisions"], "total_host_count" in out) == ("{}", False)


def test_a_cluster_without_its_hosts_has_not_even_their_number():
    view = a_view(hosts=[a_host("h1")])
    assert cluster_out(view)["total_host_count"] == 1
    out = without_hosts(cluster_out(view, hosts=False))
    assert (out["hosts"], "total_host_count" in out) == (None, False)


def test_the_network_of_the_bootstrap_comes_first():
    networks = ("10.0.0.0/24", "192.168.1.0/24", "fd00::/64")
    cluster = a_cluster(machine_networks=networks)
    plain = cluster_out(a_view(cluster, [a_host("h1")]))
    first = cluster_out(a_view(cluster, [a_host("h1", bootstrap=True)]))
    nowhere = cluster_out(a_view(cluster, [a_host("h1", bootstrap=True, inventory=a_machine(interfaces=()))]))
    order = ["192.168.1.0/24", "10.0.0.0/24", "fd00::/64"]
    assert [each["cidr"] for each in first["machine_networks"]] == order
    assert [each["cidr"] for each in plain["machine_networks"]] == [
        each["cidr"] for each in nowhere["machine_networks"]
    ]


def shown(cluster: dict, field: str) -> list[str]:
    return [each.get("cidr") or each["ip"] for each in cluster[field]]


def test_the_family_that_leads_comes_first_in_every_list():
    cluster = a_cluster(
        machine_networks=("fd00::/64", "192.168.1.0/24"),
        api_vips=(Vip(ip="192.168.1.5"), Vip(ip="fd00::5")),
        ingress_vips=(Vip(ip="fd00::6"), Vip(ip="192.168.1.6")),
        cluster_networks=(ClusterNetwork(cidr="10.128.0.0/14"), ClusterNetwork(cidr="fd01::/48")),
        service_networks=("172.30.0.0/16", "fd02::/112"),
    )
    out = cluster_out(a_view(cluster, [a_host("h1", bootstrap=True)]))
    lists = ("machine_networks", "api_vips", "ingress_vips", "cluster_networks", "service_networks")
    assert {field: shown(out, field)[0].startswith("fd") for field in lists} == dict.fromkeys(lists, True)


def test_interfaces_with_ipv6_alone_are_left_out_where_the_service_does_without_it():
    nics = (a_nic("eth0", "192.168.1.10/24", "fd00::10/64"), a_nic("eth1", "fd09::10/64"))
    host = a_host("h1", inventory=a_machine(interfaces=nics))
    assert [each["cidr"] for each in host_networks((host,))] == ["192.168.1.0/24", "fd00::/64", "fd09::/64"]
    assert [each["cidr"] for each in host_networks((host,), ipv6=False)] == ["192.168.1.0/24", "fd00::/64"]


def test_networks_are_those_that_every_host_is_in():
    one = a_host("h1", inventory=a_machine(address="192.168.1.10/24"))
    both = a_host("h2", inventory=a_machine(address="192.168.1.11/24"))
    other = a_host("h3", inventory=a_machine(address="10.0.0.1/8"))
    silent, odd = a_host("h4", inventory=None), a_host("h5", inventory=a_machine(address="nonsense"))
    assert host_networks((one, both, silent)) == [{"cidr": "192.168.1.0/24", "host_ids": ["h1", "h2"]}]
    assert host_networks((one, other)) == []
    assert host_networks((odd,)) == []


@pytest.mark.parametrize(
    ("preparation", "told"),
    [
        (Preparation(), {}),
        (Preparation(status=PreparationStatus.FAILED, reason="no disk"), {"status": "failed", "reason": "no disk"}),
    ],
)
def test_a_preparation_is_told_with_its_reason(preparation, told):
    assert cluster_out(a_view(a_cluster(preparation=preparation)))["last-installation-preparation"] == told


@pytest.mark.parametrize("status", [PreparationStatus.NOT_STARTED, PreparationStatus.SUCCESS])
def test_a_preparation_without_a_reason_gets_one(status):
    out = cluster_out(a_view(a_cluster(preparation=Preparation(status=status))))["last-installation-preparation"]
    assert out["reason"]


@pytest.mark.parametrize(("status", "shown"), [(ClusterState.PREPARING, True), (ClusterState.READY, False)])
def test_how_far_a_preparation_has_come_is_told_while_it_goes_on(status, shown):
    begun = Preparation(status=PreparationStatus.NOT_STARTED, reason="half of it")
    out = cluster_out(a_view(a_cluster(status=status, preparation=begun)))["last-installation-preparation"]
    assert (out["reason"] == "half of it") is shown


def test_an_address_tells_what_hosts_found_on_it():
    cluster = a_cluster(
        api_vips=(Vip(ip="192.168.1.5", verification=VipVerification.FAILED),), ingress_vips=(Vip(ip="1.2.3.4"),)
    )
    out = cluster_out(a_view(cluster))
    assert out["api_vips"] == [{"cluster_id": cluster.id, "ip": "192.168.1.5", "verification": "failed"}]
    assert "verification" not in out["ingress_vips"][0]


def test_a_cluster_that_was_given_up_says_when():
    gone = a_cluster(deleted_at=NOW, ignored_host_validations=("all",))
    out = cluster_out(a_view(gone))
    assert (out["deleted_at"], out["ignored_host_validations"]) == (millis(NOW), '["all"]')
    assert image_info(a_view(gone), dated=True)["created_at"] == micros(NOW)


# Operators

LOCAL = MonitoredOperator(name="lso", operator_type=OperatorType.OLM)


def test_an_operator_tells_where_it_comes_from():
    odf = MonitoredOperator(name="odf", operator_type=OperatorType.OLM, source_bundles=("openshift-ai",))
    lso = LOCAL.but(dependency_only=True)
    shown = {each.name: operator_out(each, "c1") for each in (CONSOLE, odf, lso)}
    assert (shown["odf"]["bundles"], shown["odf"]["source_bundles"]) == (["openshift-ai"], ["openshift-ai"])
    assert (shown["lso"]["bundles"], shown["lso"]["source_bundles"]) == (None, None)
    assert (shown["console"]["bundles"], shown["console"]["source_bundles"]) == (None, None)
    assert shown["lso"]["dependency_only"] is True
    assert "dependency_only" not in shown["odf"]


def test_the_bundles_of_a_cluster_are_shown_as_they_can_be_written_again():
    names = ("nvidia-gpu", "odf", "openshift-ai")
    chosen = tuple(
        MonitoredOperator(name=name, operator_type=OperatorType.OLM, source_bundles=("openshift-ai",)) for name in names
    )
    view = a_view(a_cluster(operators=(CONSOLE, LOCAL, *chosen)))
    assert cluster_out(view)["operator_bundles"] == [{"id": "openshift-ai", "optional_operators": ["nvidia-gpu"]}]
    assert cluster_out(view, full=False)["operator_bundles"] is None


# Infra-envs, events


@pytest.mark.parametrize(("kind", "file"), [(ImageType.FULL, "full.iso"), (ImageType.MINIMAL, "minimal.iso")])
def test_a_discovery_image_is_downloaded_by_its_kind(kind, file):
    infra_env = an_infra_env(type=kind, openshift_version="4.20")
    url = f"http://here/byid/{infra_env.id}/4.20/x86_64/{file}"
    assert download_url(infra_env, "http://here") == infra_env_out(infra_env, "http://here")["download_url"] == url


def test_the_secret_of_a_discovery_image_is_only_said_to_be_there():
    out = infra_env_out(an_infra_env(pull_secret="very secret"), "")
    assert out["pull_secret_set"] is True
    assert "very secret" not in str(out)


def test_an_event_is_told_without_what_is_not_there():
    event = Event(name="a", severity=Severity.INFO, message="b", cluster_id="c", at=NOW)
    assert event_out(event) == {
        "cluster_id": "c", "event_time": millis(NOW), "message": "b", "name": "a", "severity": "info",
    }  # fmt: skip
    body, headers = page_out(EventPage(events=(event,), count=7, severities={"info": 5, "warning": 2}))
    assert json.loads(body) == [event_out(event)]
    assert headers == {"Severity-Count-Info": "5", "Severity-Count-Warning": "2", "Event-Count": "7"}


# Our own


def test_verdicts_are_explained_all_or_only_those_that_do_not_pass():
    view = a_view(hosts=[a_ready_host("h1", inventory=None)])
    assessment = assess_host(HostView(view, view.hosts["h1"], peers_of(view.living)))
    everything = explained(assessment, HOST_VALIDATIONS)
    failing = explained(assessment, HOST_VALIDATIONS, failing=True)
    assert {each["id"] for each in everything} == set(assessment.verdicts)
    assert {each["id"] for each in failing} == {
        name for name, verdict in assessment.verdicts.items() if verdict.status is not Status.SUCCESS
    }
    held = {each["id"] for each in everything if each["holds_back"]}
    assert held == {
        name for name in assessment.held if any(each.id == name and each.gates for each in HOST_VALIDATIONS)
    }


names = st.sampled_from(["one", "two", ""])
hosts = st.builds(
    lambda name, role, labels: a_host("h1", requested_hostname=name, role=role, node_labels=labels),
    names,
    st.sampled_from(list(Role)),
    st.dictionaries(names, names, max_size=2),
)


@given(versions=st.lists(hosts, min_size=1, max_size=5))
def test_replaying_every_change_of_a_record_gives_the_record(versions):
    patches = [record_patch(old, new) for old, new in zip([None, *versions[:-1]], versions, strict=True)]
    record, last = replayed(patches), versions[-1]
    assert record.get("requested_hostname", "") == last.requested_hostname
    assert record.get("node_labels", {}) == last.node_labels
    assert record.get("role", Role.AUTO) == last.role


def test_nothing_replayed_is_nothing():
    assert replayed([]) == {}


# Endpoints


def test_a_path_is_filled_in():
    assert GET_HOST.parameters == ("infra_env_id", "host_id")
    assert GET_HOST.url(infra_env_id="a", host_id="b") == "/api/assisted-install/v2/infra-envs/a/hosts/b"


def test_no_two_rows_answer_the_same_call():
    calls = [(each.method, each.path) for each in ENDPOINTS]
    assert len(set(calls)) == len(calls)


def test_checks_that_are_no_longer_done_are_explained_by_their_last_outcome():
    finding = Finding(status=Status.SUCCESS, message="Every host can be installed")
    assessment = Assessment(verdicts={"all-hosts-are-ready-to-install": finding})
    (told,) = explained(assessment, CLUSTER_VALIDATIONS)
    assert (told["status"], told["message"], told["holds_back"]) == ("success", finding.message, [])
    assert not any(told["evidence"].values())
    assert explained(assessment, CLUSTER_VALIDATIONS, failing=True) == []
