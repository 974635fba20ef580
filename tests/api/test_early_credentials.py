"""Who installs from one of the machines themselves gets credentials as soon as they are made; others wait."""

import pytest
from calling import Caller
from making import a_ready_single_node, installing
from refusing import is_refused

from parts.service import RunningService


@pytest.fixture
def agent_based(tmp_path):
    running = RunningService(tmp_path, {"INSTALL_INVOKER": "agent-installer"})
    running.start()
    caller = Caller(running.url)
    yield caller
    caller.close()
    running.stop()


def once_made(api, path):
    """What is answered once the files of a cluster have been made."""
    for _ in range(5000):
        reply = api.v2(f"GET {path}")
        if reply.status == 200:
            return reply
    raise AssertionError(reply.body)


def test_credentials_are_there_before_any_host_is_installed(agent_based):
    it = a_ready_single_node(agent_based)
    files = f"{it.cluster}/downloads/credentials?file_name="
    assert is_refused(agent_based.v2(f"GET {files}kubeadmin-password"), "has not been generated yet", status=409)
    assert is_refused(agent_based.v2(f"GET {it.cluster}/credentials"), "has not been generated yet", status=409)
    assert agent_based.v2(f"POST {it.cluster}/actions/install").status == 202
    password = once_made(agent_based, f"{files}kubeadmin-password").body.decode()
    for name in ("kubeconfig", "kubeconfig-noingress"):
        assert b"certificate-authority-data" in once_made(agent_based, f"{files}{name}").body
    assert agent_based.v2(f"GET {it.cluster}").json["status"] == "preparing-for-installation"
    assert agent_based.v2(f"GET {it.cluster}/credentials").json == {
        "username": "kubeadmin",
        "password": password,
        "console_url": "https://console-openshift-console.apps.sno.lab.local",
    }
    late = f"{it.cluster}/downloads/files?file_name=bootstrap.ign"
    assert is_refused(agent_based.v2(f"GET {late}"), "preparing-for-installation", status=409)


def test_credentials_of_others_are_there_once_hosts_are_installed(api):
    it = a_ready_single_node(api)
    files = f"{it.cluster}/downloads/credentials?file_name="
    for name in ("kubeadmin-password", "kubeconfig"):
        assert is_refused(api.v2(f"GET {files}{name}"), "while cluster sno is ready", status=409)
    installing(api, it)
    assert once_made(api, f"{files}kubeconfig").body == once_made(api, f"{files}kubeconfig-noingress").body
    assert is_refused(api.v2(f"GET {it.cluster}/credentials"), "console", status=409)
