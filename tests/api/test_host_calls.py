"""What users do with hosts over the API: give, take back, let join, reset, and say how they are to be installed."""

import json
import uuid

import pytest
from adding import added_later, given, in_a_pool, registers_again, running, state, until_asked
from making import a_cluster, a_host, a_ready_single_node, an_infra_env, installing, made
from refusing import is_malformed, is_refused

NOBODY = f"/infra-envs/{uuid.uuid4()}/hosts/{uuid.uuid4()}"
IGNITION = (
    '{"ignition": {"version": "3.2.0"}, "storage": {"files": [{"path": "/etc/x", "contents": {"source": "data:,y"}}]}}'
)
SPEED = "sufficient-installation-disk-speed"


@pytest.fixture(scope="module")
def joining(service):
    """A host that can join a running cluster; whoever uses it leaves it that way."""
    from calling import Caller

    caller = Caller(service.url)
    yield added_later(caller)
    caller.close()


# Calls about a host that is not there


@pytest.mark.parametrize(
    ("call", "body"),
    [
        ("POST {}/actions/bind", {"cluster_id": str(uuid.uuid4())}),
        ("POST {}/actions/unbind", None),
        ("POST {}/actions/install", None),
        ("POST {}/actions/reset", None),
        (f"PATCH {{}}/actions/reset-validation/{SPEED}", None),
        ("PATCH {}/installer-args", {"args": []}),
        ("PATCH {}/ignition", {"config": ""}),
        ("GET {}/ignition", None),
        ("PUT {}/progress", {"current_stage": "Installing"}),
        ("PUT {}/logs-progress", {"logs_state": "requested"}),
        ("GET {}/instructions", None),
        ("POST {}/instructions", {"step_type": "inventory"}),
        ("PATCH {}", {}),
        ("DELETE {}", None),
    ],
)
def test_a_host_that_is_not_there_is_not_found(api, call, body):
    assert is_refused(api.v2(call.format(NOBODY), body), "There is no host", status=404)


# Giving and taking back


def test_a_host_is_given_to_a_cluster_and_registers_there(api):
    it = given(api, in_a_pool(api))
    host = api.v2(f"GET {it.host}").json
    assert (host["status"], host["cluster_id"]) == ("binding", it.cluster_id)
    told = api.v2(f"GET {it.host}/instructions").json
    assert (told["instructions"], told["post_step_action"]) == (None, "exit")
    registers_again(api, it)
    assert state(api, it) == "discovering"
    assert [each["id"] for each in api.v2(f"GET {it.cluster}").json["hosts"]] == [it.host_id]


def test_a_host_is_taken_back_and_registers_in_the_pool(api):
    it = given(api, in_a_pool(api))
    registers_again(api, it)
    reply = api.v2(f"POST {it.host}/actions/unbind")
    assert (reply.status, reply.json["status"]) == (200, "unbinding")
    assert "cluster_id" not in reply.json
    registers_again(api, it)
    assert state(api, it) == "discovering-unbound"
    assert api.v2(f"GET {it.cluster}").json["hosts"] == []


def bind(api, it, cluster_id):
    return api.v2(f"POST {it.host}/actions/bind", {"cluster_id": cluster_id})


def test_a_host_is_not_given_to_two_clusters(api):
    it = given(api, in_a_pool(api))
    assert is_refused(bind(api, it, it.cluster_id), "already", status=409)


def test_a_host_is_not_given_to_a_cluster_that_is_not_there(api):
    assert is_refused(bind(api, in_a_pool(api), str(uuid.uuid4())), "there is no cluster")


def test_a_host_is_not_given_to_a_cluster_of_another_architecture(api):
    it = in_a_pool(api)
    assert is_refused(bind(api, it, a_cluster(api, cpu_architecture="arm64")), "is for arm64")


def test_a_host_is_not_given_to_a_cluster_that_takes_in_none(api):
    busy = installing(api, a_ready_single_node(api))
    assert is_refused(bind(api, in_a_pool(api), busy.cluster_id), "takes in no new hosts", status=409)


def test_a_host_that_has_said_nothing_yet_is_not_given_away(api):
    infra_env_id = an_infra_env(api)
    host = f"/infra-envs/{infra_env_id}/hosts/{a_host(api, infra_env_id)}"
    reply = api.v2(f"POST {host}/actions/bind", {"cluster_id": a_cluster(api)})
    assert is_refused(reply, "only a host that is known-unbound", status=409)


@pytest.mark.parametrize("body", [{}, {"cluster_id": "x"}, {"cluster_id": str(uuid.uuid4()), "force": True}])
def test_giving_away_says_to_whom_and_no_more(api, it, body):
    assert is_malformed(api.v2(f"POST {it.host}/actions/bind", body))


def test_a_host_of_no_cluster_is_not_taken_back(api):
    assert is_refused(api.v2(f"POST {in_a_pool(api).host}/actions/unbind"), "belongs to no cluster", status=409)


def test_a_host_of_an_image_that_is_the_clusters_own_is_not_taken_back(api, it):
    assert is_refused(api.v2(f"POST {it.host}/actions/unbind"), "delete the host instead", status=409)


def test_a_host_that_installs_is_not_taken_back(api):
    busy = installing(api, a_ready_single_node(api))
    assert is_refused(api.v2(f"POST {busy.host}/actions/unbind"), "cancel the installation", status=409)


# Joining a running cluster


def test_a_host_joins_a_running_cluster(api):
    it = added_later(api)
    reply = api.v2(f"POST {it.host}/actions/install")
    assert (reply.status, reply.json["status"], reply.json["role"]) == (202, "installing", "worker")
    until_asked(api, it, "install")
    sent = api.v2(f"GET /infra-env/{it.infra_env_id}/hosts/{it.host_id}/downloads/ignition")
    assert sent.headers["Content-Disposition"] == f'attachment; filename="worker-{it.host_id}.ign"'
    assert sent.json["ignition"]["config"]["merge"][0]["source"].endswith(":22624/config/worker")
    assert api.v2(f"GET {it.host}/ignition").json == {"config": sent.body.decode()}
    for stage in ("Starting installation", "Installing", "Writing image to disk", "Rebooting"):
        assert api.v2(f"PUT {it.host}/progress", {"current_stage": stage}).status == 200
    host = api.v2(f"GET {it.host}").json
    assert (host["status"], host["progress"]["current_stage"]) == ("added-to-existing-cluster", "Done")


def test_a_host_that_is_to_join_starts_over(api):
    it = added_later(api)
    api.v2(f"POST {it.host}/actions/install")
    reply = api.v2(f"POST {it.host}/actions/reset")
    assert (reply.status, reply.json["status"]) == (200, "resetting-pending-user-action")
    registers_again(api, it)
    assert state(api, it) == "discovering"


def test_a_host_joins_once(api):
    it = added_later(api)
    assert api.v2(f"POST {it.host}/actions/install").status == 202
    assert is_refused(api.v2(f"POST {it.host}/actions/install"), "only while known", status=409)


@pytest.mark.parametrize("action", ["install", "reset"])
def test_a_host_of_a_new_cluster_is_not_installed_or_reset_by_itself(api, it, action):
    assert is_refused(api.v2(f"POST {it.host}/actions/{action}"), "with its cluster", status=409)


def test_a_host_of_no_cluster_joins_none(api):
    it = in_a_pool(api)
    assert is_refused(api.v2(f"POST {it.host}/actions/install"), "belongs to no cluster", status=404)
    assert is_refused(api.v2(f"POST {it.host}/actions/reset"), "with its cluster", status=409)


def test_what_a_user_lays_over_the_configuration_of_a_host_that_joins_is_in_it(api):
    it = added_later(api)
    assert api.v2(f"PATCH {it.host}/ignition", {"config": IGNITION}).status == 201
    api.v2(f"POST {it.host}/actions/install")
    until_asked(api, it, "install")
    config = json.loads(api.v2(f"GET {it.host}/ignition").json["config"])
    assert [each["path"] for each in config["storage"]["files"]] == ["/etc/hostname", "/etc/x"]


# How a host is installed


def test_arguments_of_the_installer_are_replaced_whole(api, it):
    reply = api.v2(f"PATCH {it.host}/installer-args", {"args": ["--append-karg", "ip=dhcp"]})
    assert (reply.status, json.loads(reply.json["installer_args"])) == (201, ["--append-karg", "ip=dhcp"])
    reply = api.v2(f"PATCH {it.host}/installer-args", {"args": ["-n"]})
    assert json.loads(reply.json["installer_args"]) == ["-n"]
    assert "installer_args" not in api.v2(f"PATCH {it.host}/installer-args", {}).json


def test_an_argument_that_may_not_be_used_is_refused(api, it):
    assert is_refused(api.v2(f"PATCH {it.host}/installer-args", {"args": ["--wipe"]}), "args[0]", "--append-karg")
    assert is_malformed(api.v2(f"PATCH {it.host}/installer-args", {"args": "-n"}), "body.args")


def test_a_configuration_is_laid_over_that_of_a_host_and_taken_away_again(api, it):
    reply = api.v2(f"PATCH {it.host}/ignition", {"config": IGNITION})
    assert (reply.status, reply.body) == (201, b"")
    assert api.v2(f"GET {it.host}").json["ignition_config_overrides"] == IGNITION
    assert api.v2(f"PATCH {it.host}/ignition", {"config": ""}).status == 201
    assert "ignition_config_overrides" not in api.v2(f"GET {it.host}").json


@pytest.mark.parametrize(
    "config",
    ["{", "[]", '{"ignition": {"version": "3.3.0"}}', '{"ignition": {"version": "3.2.0"}, "storage": {"files": [{}]}}'],
)
def test_a_configuration_that_cannot_be_merged_is_refused(api, it, config):
    assert is_refused(api.v2(f"PATCH {it.host}/ignition", {"config": config}), "config: ")


def test_the_configuration_of_a_host_is_there_once_its_cluster_installs(api, it):
    assert is_refused(api.v2(f"GET {it.host}/ignition"), "cannot be downloaded while", status=409)
    busy = installing(api, a_ready_single_node(api))
    reply = api.v2(f"GET {busy.host}/ignition")
    assert (reply.status, json.loads(reply.json["config"])["ignition"]["version"]) == (200, "3.2.0")


def test_a_host_of_no_cluster_has_no_configuration(api):
    assert is_refused(api.v2(f"GET {in_a_pool(api).host}/ignition"), "belongs to no cluster", status=404)


def test_a_host_that_was_not_told_to_join_has_no_configuration_yet(api, joining):
    assert is_refused(api.v2(f"GET {joining.host}/ignition"), "has not been generated yet", status=409)


# Checks


@pytest.mark.parametrize("validation", [SPEED, "container-images-available"])
def test_the_outcome_of_a_check_is_found_out_again(api, validation):
    it = a_ready_single_node(api)
    reply = api.v2(f"PATCH {it.host}/actions/reset-validation/{validation}")
    assert (reply.status, reply.body) == (200, b"")


def test_a_check_that_cannot_be_reset_is_named_with_those_that_can(api, it):
    reply = api.v2(f"PATCH {it.host}/actions/reset-validation/has-inventory")
    assert is_refused(reply, "has-inventory", SPEED)


def test_a_host_of_no_cluster_has_nothing_to_reset(api):
    it = in_a_pool(api)
    reply = api.v2(f"PATCH {it.host}/actions/reset-validation/{SPEED}")
    assert is_refused(reply, "belongs to no cluster", status=409)


# Registering


def test_a_host_does_not_register_for_a_cluster_that_is_gone(api):
    it = made(api)
    assert api.v2(f"DELETE {it.cluster}").status == 204
    reply = api.v2(f"POST /infra-envs/{it.infra_env_id}/hosts", {"host_id": str(uuid.uuid4())})
    assert is_refused(reply, "There is no cluster", status=404)


def test_a_new_host_registers_for_a_running_cluster_as_one_that_joins(api):
    first = running(api)
    host = api.v2(f"GET {first._replace(host_id=a_host(api, first.infra_env_id)).host}").json
    assert (host["kind"], host["role"], host["machine_config_pool_name"]) == (
        "AddToExistingClusterHost",
        "worker",
        "worker",
    )
