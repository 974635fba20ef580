"""Records: frozen, compared by content, and their differences as history keeps them."""

from typing import get_args, get_origin

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import (
    CLUSTER_ID,
    INFRA_ENV_ID,
    a_cluster,
    a_host,
    a_machine,
    a_policy,
    a_ready_host,
    a_view,
    an_infra_env,
    host_view,
)
from muster.domain.clusters import SECRETS as CLUSTER_SECRETS
from muster.domain.clusters import Cluster
from muster.domain.hosts import SECRETS as HOST_SECRETS
from muster.domain.hosts import FencingCredentials, Host, HostState
from muster.domain.infra_envs import SECRETS as INFRA_ENV_SECRETS
from muster.domain.infra_envs import InfraEnv
from muster.domain.inventory import Inventory
from muster.domain.policy import Policy
from muster.domain.progress import ClusterProgress, FinalizingStage, Stage
from muster.domain.record import (
    MISSING,
    SECRET,
    Record,
    alike,
    all_alike,
    apply_patch,
    differences,
    merge_patch,
    record_patch,
)
from muster.domain.roles import Role
from muster.domain.states.table import Condition, condition
from muster.domain.verdicts import Finding, Status
from muster.domain.views import cluster_scope, host_scope, infra_env_scope, scope_of


class Point(Record):
    x: int = 0
    tags: tuple[str, ...] = ()


def test_a_record_takes_its_fields_by_name_only():
    with pytest.raises(TypeError):
        Point(1)


def test_a_record_does_not_change():
    with pytest.raises(AttributeError):
        Point().x = 1


def test_a_changed_record_is_another_and_an_unchanged_one_is_itself():
    point = Point(x=1, tags=("a",))
    assert point.but(x=2) == Point(x=2, tags=("a",))
    assert point.but(x=1) is point
    assert point.but(x=1, tags=("a",)) is point
    assert point.but() is point


def test_a_field_that_is_not_there_cannot_be_changed():
    with pytest.raises(AttributeError):
        Point().but(y=1)


# Differences

JSON = st.recursive(
    st.booleans() | st.integers(-3, 3) | st.text("ab", max_size=2),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)


@given(JSON, JSON)
def test_a_patch_turns_one_value_into_the_other(old, new):
    patch = merge_patch(old, new)
    assert (patch is MISSING) == (old == new)
    assert (old if patch is MISSING else apply_patch(old, patch)) == new


@pytest.mark.parametrize(
    ("old", "new", "patch"),
    [
        ({"a": 1}, {"a": 1, "b": 2}, {"b": 2}),
        ({"a": 1, "b": 2}, {"b": 2}, {"a": None}),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 1, "c": 3}}, {"a": {"c": 3}}),
        ({"a": [1, 2]}, {"a": [1]}, {"a": [1]}),
        ({"a": 1}, 7, 7),
    ],
)
def test_a_patch_says_only_what_differs(old, new, patch):
    assert merge_patch(old, new) == patch


def test_a_patch_makes_something_of_nothing():
    assert apply_patch(None, {"a": {"b": 1}, "c": None}) == {"a": {"b": 1}}


def test_the_history_of_a_record_says_what_changed_in_it():
    host = a_host("h1")
    after = host.but(status=HostState.ERROR, status_info="no")
    assert record_patch(host, after) == {"status": "error", "status_info": "no"}
    assert record_patch(host, host) == {}


def test_the_history_of_what_a_record_holds_by_name_says_which_of_it_changed():
    one, other = (Finding(status=Status.SUCCESS, message=message) for message in ("one", "other"))
    host = a_host(
        "h1", verdicts={"kept": one, "gone": one, "changed": one, "same": one.but(message="x").but(message="one")}
    )
    after = host.but(
        verdicts={"kept": one, "changed": other, "new": one, "same": one.but(message="x").but(message="one")}
    )
    assert record_patch(host, after) == {
        "verdicts": {"gone": None, "changed": {"message": "other"}, "new": msgspec.to_builtins(one)}
    }


def test_a_secret_that_is_taken_away_is_seen_to_go():
    host = a_host("h1", fencing_credentials=FencingCredentials(password="p"))
    hidden = frozenset({"fencing_credentials"})
    assert record_patch(host, host.but(fencing_credentials=None), hidden=hidden) == {"fencing_credentials": None}


def test_what_differs_is_found_by_name():
    host = a_host("h1")
    assert differences(host, host) == frozenset()
    assert differences(host.but(role=Role.WORKER, clock_skew=7), host) == {"role", "clock_skew"}
    assert host.but(role=Role.WORKER, inventory=a_machine()).inventory is host.inventory


def test_the_history_of_a_new_record_says_what_there_is():
    patch = record_patch(None, a_host("h1"))
    assert (patch["id"], patch["status"]) == ("h1", "known")
    assert not {"deleted_at", "bootstrap", "verdicts", "logs_info"} & set(patch)


def test_the_history_of_a_new_record_says_where_it_is_empty_though_that_is_unusual():
    patch = record_patch(None, a_host("h1", media_connected=False, clock_skew=0))
    assert (patch["media_connected"], patch["clock_skew"]) == (False, 0)


def test_secrets_are_seen_to_change_but_are_not_seen():
    cluster = a_cluster(pull_secret="old")
    hidden = frozenset({"pull_secret"})
    assert record_patch(cluster, cluster.but(pull_secret="new"), hidden=hidden) == {"pull_secret": SECRET}
    assert record_patch(cluster, cluster.but(pull_secret=""), hidden=hidden) == {"pull_secret": ""}
    assert record_patch(None, cluster, hidden=hidden)["pull_secret"] == SECRET
    assert "old" not in str(record_patch(cluster, cluster.but(name="x"), hidden=hidden))


@pytest.mark.parametrize(
    ("record", "secrets"),
    [(a_cluster(), CLUSTER_SECRETS), (a_host("h1"), HOST_SECRETS), (an_infra_env(), INFRA_ENV_SECRETS)],
)
def test_secrets_are_fields(record, secrets):
    assert secrets <= set(record.__struct_fields__)


# Scopes and views


def test_every_record_changes_in_its_scope():
    assert scope_of(a_cluster()) == cluster_scope(CLUSTER_ID)
    assert scope_of(an_infra_env()) == infra_env_scope(INFRA_ENV_ID)
    assert scope_of(a_host("h1")) == cluster_scope(CLUSTER_ID)
    assert scope_of(a_host("h1", cluster_id=None)) == host_scope(INFRA_ENV_ID, "h1")


def test_a_view_with_the_same_records_is_the_same_view():
    view = a_view(hosts=[a_host("h1")])
    assert view.with_host(view.hosts["h1"]) is view
    assert view.with_cluster(view.cluster) is view


def test_a_host_without_a_cluster_is_judged_by_the_smallest_figures():
    view = a_view(hosts=[a_host("h1")]).but(cluster=None)
    seen = host_view(view, "h1")
    assert seen.unbound
    assert seen.figures == a_policy().requirements.default.arbiter
    assert not seen.single_node


def test_a_host_goes_by_its_asked_name_its_own_or_its_id():
    host = a_host("h1", requested_hostname="asked")
    assert (host.hostname, host.name) == ("asked", "asked")
    assert host.but(requested_hostname="").name == "node"
    assert host.but(requested_hostname="", inventory=None).name == "h1"


def test_the_address_of_a_host_in_a_network():
    host = a_host("h1", inventory=a_machine(address="192.168.1.10/24"))
    assert host.address_in("192.168.0.0/16") == "192.168.1.10"
    assert host.address_in("10.0.0.0/8") == ""
    assert host.address_in("fd00::/8") == ""
    assert host.but(inventory=None).address_in("10.0.0.0/8") == ""


def test_an_address_that_cannot_be_read_is_in_no_network():
    machine = a_machine(address="nowhere")
    assert (machine.addresses, machine.networks) == (("nowhere",), ())


# Figures


def test_limits_that_the_operator_of_the_service_sets_count():
    minute = Policy().stage_limit(Stage.JOINED, single_node=False) / 60
    policy = Policy(stage_limits={Stage.WRITING: 2 * minute})
    assert policy.stage_limit(Stage.WRITING, single_node=False) == 2 * minute
    assert policy.stage_limit(Stage.STARTING, single_node=True) == 30 * minute
    assert policy.stage_limit(Stage.REBOOTING, single_node=True) == 80 * minute


@pytest.mark.parametrize(
    ("preparing", "installing", "finalizing", "total"),
    [(0, 0, 0, 0), (100, 0, 0, 10), (100, 50, 0, 45), (100, 100, 0, 80), (100, 100, 50, 87), (100, 100, 100, 95)],
)
def test_the_total_is_the_weighted_sum(preparing, installing, finalizing, total):
    progress = ClusterProgress(
        preparing_for_installation_stage_percentage=preparing,
        installing_stage_percentage=installing,
        finalizing_stage_percentage=finalizing,
    )
    assert progress.total == total


def test_progress_survives_the_store():
    progress = ClusterProgress(finalizing_stage=FinalizingStage.OLM_CSV)
    assert msgspec.json.decode(msgspec.json.encode(progress), type=ClusterProgress) == progress
    host = a_host("h1", role=Role.MASTER)
    assert msgspec.json.decode(msgspec.json.encode(host), type=Host) == host


# Conditions


def test_conditions_join_with_their_names():
    @condition
    def is_small(number):
        return number < 10

    even = Condition("even", lambda number: number % 2 == 0)
    both, either, neither = is_small & even, is_small | even, ~(is_small | even)
    assert [both.test(each) for each in (2, 3, 12)] == [True, False, False]
    assert [either.test(each) for each in (3, 12, 13)] == [True, True, False]
    assert [neither.test(each) for each in (3, 13)] == [False, True]
    names = [each.name for each in (both, either, neither, ~both, ~~both, ~even & is_small)]
    assert names == [
        "is small and even",
        "(is small or even)",
        "not (is small or even)",
        "not (is small and even)",
        "is small and even",
        "not even and is small",
    ]
    assert [(~both).test(each) for each in (2, 3)] == [False, True]


def test_what_two_records_have_in_common_is_kept_once():
    one, other = a_ready_host("h1", 1), a_ready_host("h2", 2)
    other = other.but(inventory=None).but(inventory=msgspec.convert(msgspec.to_builtins(other.inventory), Inventory))
    assert one.inventory.cpu is not other.inventory.cpu
    shared = alike(other, one, ["inventory", "ntp_sources", "clock_skew"])
    assert shared == other
    assert shared.inventory.cpu is one.inventory.cpu
    assert shared.inventory.interfaces is other.inventory.interfaces
    assert shared.ntp_sources is one.ntp_sources
    assert alike(other, one, ["id"]) is other


def test_what_is_said_alike_of_several_records_is_kept_once():
    assert all_alike({}) == {}
    fine = [Finding(status=Status.SUCCESS, message="fine") for _ in range(2)]
    said = [{"a": each, "b": Finding(status=Status.FAILURE, message=f"{index}")} for index, each in enumerate(fine)]
    hosts = {each.id: each for each in (a_host("h1", verdicts=said[0]), a_host("h2", verdicts=said[1]))}
    shared = all_alike(hosts)
    assert shared == hosts
    assert shared["h1"] is hosts["h1"]
    assert shared["h2"].verdicts["a"] is said[0]["a"]
    assert shared["h2"].verdicts["b"] is said[1]["b"]


def entries(kind):
    """The types of what dictionaries of a record hold, with the types that those are made of."""
    for field in msgspec.structs.fields(kind):
        for each in (field.type, *get_args(field.type)):
            if get_origin(each) is dict:
                yield from parts(get_args(each)[1])


def parts(kind):
    yield get_origin(kind) or kind
    fields = msgspec.structs.fields(kind) if isinstance(kind, msgspec.StructMeta) else ()
    for each in (*get_args(kind), *(field.type for field in fields)):
        yield from parts(each)


@pytest.mark.parametrize("kind", [Host, Cluster, InfraEnv])
def test_what_dictionaries_of_records_hold_can_be_looked_up(kind):
    """History looks up what lies between two entries of a dictionary."""
    held = set(entries(kind))
    assert held.isdisjoint({dict, list, set})
    assert held or kind is InfraEnv
