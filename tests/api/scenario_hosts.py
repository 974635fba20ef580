"""One function for each method of the client that is about hosts, named like it."""

import json
import uuid

from assisted_service_client import models
from making import AGENT, now
from scenario_stage import Bound, Stage, refused

SPEED = "sufficient-installation-disk-speed"
IGNITION = '{"ignition": {"version": "3.2.0"}}'


def v2_register_host(at: Stage) -> None:
    infra_env_id, host_id = at.infra_env(), str(uuid.uuid4())
    params = models.HostCreateParams(host_id=host_id, discovery_agent_version=AGENT)
    answer = at.installer.v2_register_host(infra_env_id=infra_env_id, new_host_params=params)
    told = json.loads(answer.next_step_runner_command.args[0])
    assert told == {"agent_version": AGENT, "host_id": host_id, "infra_env_id": infra_env_id}


def v2_list_hosts(at: Stage) -> None:
    host = at.host()
    assert [each["id"] for each in at.installer.v2_list_hosts(infra_env_id=host.infra_env_id)] == [host.host_id]


def v2_get_host(at: Stage) -> None:
    assert at.installer.v2_get_host(*at.in_a_pool()).status == "known-unbound"


def v2_update_host(at: Stage) -> None:
    host = at.in_a_pool()
    changes = models.HostUpdateParams(host_name="two", node_labels=[models.NodeLabelParams(key="a", value="b")])
    changed = at.installer.v2_update_host(*host, host_update_params=changes)
    assert (changed.requested_hostname, json.loads(changed.node_labels)) == ("two", {"a": "b"})


def v2_deregister_host(at: Stage) -> None:
    host = at.host()
    at.installer.v2_deregister_host(*host)
    with refused(404):
        at.installer.v2_get_host(*host)


def v2_get_next_steps(at: Stage) -> None:
    steps = at.installer.v2_get_next_steps(*at.host(), timestamp=now(), discovery_agent_version=AGENT)
    assert "inventory" in [each.step_type for each in steps.instructions]


def v2_post_step_reply(at: Stage) -> None:
    host = at.host()
    reply = models.StepReply(step_type="inventory", step_id="inventory-1", exit_code=0, output='{"hostname": "one"}')
    at.installer.v2_post_step_reply(*host, reply=reply, discovery_agent_version=AGENT)
    assert at.installer.v2_get_host(*host).requested_hostname == "one"


def v2_update_host_install_progress(at: Stage) -> None:
    it = at.installing()
    progress = models.HostProgress(current_stage="Starting installation", progress_info="it begins")
    host = Bound(it.infra_env_id, it.host_id)
    at.installer.v2_update_host_install_progress(*host, host_progress=progress, discovery_agent_version=AGENT)
    told = at.installer.v2_get_host(*host).progress
    assert (told.current_stage, told.progress_info) == ("Starting installation", "it begins")


def v2_update_host_logs_progress(at: Stage) -> None:
    it = at.installing()
    host = Bound(it.infra_env_id, it.host_id)
    at.installer.v2_update_host_logs_progress(
        *host, logs_progress_params=models.LogsProgressParams(logs_state="requested")
    )
    assert at.installer.v2_get_host(*host).logs_info == "requested"


def bind_host(at: Stage) -> None:
    host, cluster_id = at.in_a_pool(), at.cluster()
    bound = at.installer.bind_host(*host, bind_host_params=models.BindHostParams(cluster_id=cluster_id))
    assert (bound.status, bound.cluster_id) == ("binding", cluster_id)


def unbind_host(at: Stage) -> None:
    host, cluster_id = at.in_a_pool(), at.cluster()
    at.installer.bind_host(*host, bind_host_params=models.BindHostParams(cluster_id=cluster_id))
    params = models.HostCreateParams(host_id=host.host_id, discovery_agent_version=AGENT)
    at.installer.v2_register_host(infra_env_id=host.infra_env_id, new_host_params=params)
    freed = at.installer.unbind_host(*host)
    assert (freed.status, freed.cluster_id) == ("unbinding", None)


def v2_install_host(at: Stage) -> None:
    assert at.installer.v2_install_host(*at.added_later()).status == "installing"


def v2_reset_host(at: Stage) -> None:
    host = at.added_later()
    at.installer.v2_install_host(*host)
    assert at.installer.v2_reset_host(*host).status == "resetting-pending-user-action"
    with refused(409):
        at.installer.v2_reset_host(*at.in_a_pool())


def v2_reset_host_validation(at: Stage) -> None:
    it = at.ready()
    host = Bound(it.infra_env_id, it.host_id)
    at.installer.v2_reset_host_validation(*host, validation_id=SPEED, _preload_content=False)
    with refused(400):
        at.installer.v2_reset_host_validation(*host, validation_id="has-inventory")


def v2_update_host_installer_args(at: Stage) -> None:
    host = at.in_a_pool()
    params = models.InstallerArgsParams(args=["--append-karg", "console=ttyS0"])
    changed = at.installer.v2_update_host_installer_args(*host, installer_args_params=params)
    assert json.loads(changed.installer_args) == ["--append-karg", "console=ttyS0"]
    with refused(400):
        at.installer.v2_update_host_installer_args(
            *host, installer_args_params=models.InstallerArgsParams(args=["--nosuch"])
        )


def v2_update_host_ignition(at: Stage) -> None:
    host = at.in_a_pool()
    at.installer.v2_update_host_ignition(*host, host_ignition_params=models.HostIgnitionParams(config=IGNITION))
    assert at.installer.v2_get_host(*host).ignition_config_overrides == IGNITION


def v2_get_host_ignition(at: Stage) -> None:
    it = at.installing()
    sent = at.installer.v2_get_host_ignition(infra_env_id=it.infra_env_id, host_id=it.host_id)
    assert json.loads(sent.config)["ignition"]


def v2_download_host_ignition(at: Stage) -> None:
    it = at.installing()
    sent = at.installer.v2_download_host_ignition(
        infra_env_id=it.infra_env_id, host_id=it.host_id, _preload_content=False
    )
    assert json.loads(sent.data)["ignition"]
