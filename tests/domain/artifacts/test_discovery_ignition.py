"""The config of a discovery image: what is always there, what the infra-env adds, and what it has room for."""

import json
import random
import subprocess

import pytest

from builders import INFRA_ENV_ID, an_infra_env
from muster.domain.artifacts.discovery_ignition import FILES, Discovery, discovery_ignition, discovery_of, room_problems
from muster.domain.errors import Refused
from muster.domain.infra_envs import ImageType
from muster.domain.inputs.static_networks import HostNetworkInput, MacInterfaceInput, static_network_text
from muster.domain.networks import Proxy
from muster.domain.policy import Policy
from parts.ignition import complaints, files_of, needs_ignition, units_of

SECRET = '{"auths":{"quay.io":{"auth":"dXNlcjpwYXNz"}}}'
KEYS = "ssh-ed25519 AAAA one\n\n ssh-ed25519 BBBB two\n"
POLICY = Policy(service_url="https://assisted.example.com", agent_image="quay.io/agent:1")
BUNDLE = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----"
PROXY = Proxy(http_proxy="http://me:it's%40@proxy:3128", no_proxy="a.com, .b.com")


def settings(text="interfaces: [{name: eth0}]\n"):
    interface = MacInterfaceInput(logical_nic_name="eth0", mac_address="52:54:00:00:00:01")
    return HostNetworkInput(network_yaml=text, mac_interface_map=(interface,))


NETWORK = static_network_text((settings(),))
EVERYTHING = {
    "ssh_authorized_key": KEYS,
    "proxy": PROXY,
    "ntp_sources": "ntp1,ntp2",
    "additional_trust_bundle": BUNDLE,
    "static_network_config": NETWORK,
}


def an_image(**changes):
    return an_infra_env(pull_secret=SECRET, **changes)


def made(kind=None, **changes):
    return discovery_ignition(discovery_of(an_image(**changes), POLICY, kind))


def test_a_plain_image_has_the_agent_and_little_else():
    content = made()
    assert json.loads(content)["ignition"] == {"version": "3.1.0"}
    assert "passwd" not in json.loads(content)
    assert list(files_of(content)) == [
        "/usr/local/bin/agent-fix-bz1964591",
        "/usr/local/bin/agent-pull-image",
        "/etc/motd",
        "/etc/NetworkManager/conf.d/01-ipv6.conf",
        "/root/.docker/config.json",
        "/root/assisted.te",
        "/etc/multipath.conf",
    ]
    assert list(units_of(content)) == ["agent.service", "selinux.service", "multipathd.service", "iscsistart.service"]


def test_the_pull_secret_is_for_root_alone():
    (kept,) = [each for each in json.loads(made())["storage"]["files"] if each["path"] == "/root/.docker/config.json"]
    assert kept["mode"] == 0o600
    assert files_of(made())["/root/.docker/config.json"] == SECRET


@needs_ignition
@pytest.mark.parametrize("kind", [ImageType.FULL, ImageType.MINIMAL])
@pytest.mark.parametrize("changes", [{}, EVERYTHING, {"additional_ntp_sources": "ntp1"}])
def test_ignition_accepts_what_is_made(kind, changes):
    assert complaints(made(kind, **changes)) == ""


def lines_of(unit, prefix):
    return [line.partition("=")[2] for line in unit.splitlines() if line.startswith(f"{prefix}=")]


def test_the_agent_is_fetched_and_told_where_the_service_is():
    unit = units_of(made())["agent.service"]
    (command,) = lines_of(unit, "ExecStart")
    assert command == (
        f"/usr/local/bin/agent --url https://assisted.example.com --infra-env-id {INFRA_ENV_ID}"
        " --agent-version quay.io/agent:1 --insecure=false"
    )
    assert len(lines_of(unit, "ExecStartPre")) == 3
    assert all("quay.io/agent:1" in line for line in lines_of(unit, "ExecStartPre"))
    assert lines_of(unit, "TimeoutStartSec") == ["600"]


def test_the_agent_goes_through_the_proxy_and_shows_who_it_is():
    asked = Discovery(infra_env=an_image(proxy=PROXY), policy=POLICY, kind=ImageType.FULL, token="a%b")
    told = lines_of(units_of(discovery_ignition(asked))["agent.service"], "Environment")
    assert told[0] == '"HTTP_PROXY=http://me:it\'s%%40@proxy:3128"'
    assert told[-1] == '"PULL_SECRET_TOKEN=a%%b"'
    assert '"HTTPS_PROXY="' in lines_of(units_of(made())["agent.service"], "Environment")
    assert "PULL_SECRET_TOKEN" not in units_of(made())["agent.service"]


def test_those_whose_keys_are_given_may_log_in():
    (core,) = json.loads(made(ssh_authorized_key=KEYS))["passwd"]["users"]
    assert core == {
        "name": "core",
        "passwordHash": "!",
        "groups": ["sudo"],
        "sshAuthorizedKeys": ["ssh-ed25519 AAAA one", "ssh-ed25519 BBBB two"],
    }


def test_ignition_and_shells_go_through_the_proxy_too():
    content = made(proxy=PROXY)
    assert json.loads(content)["ignition"]["proxy"] == {
        "httpProxy": PROXY.http_proxy,
        "noProxy": ["a.com", ".b.com"],
    }
    profile = files_of(content)["/etc/profile.d/proxy.sh"]
    said = subprocess.run(["bash"], input=f"{profile}echo $http_proxy", text=True, capture_output=True, check=True)
    assert said.stdout.strip() == PROXY.http_proxy


def test_a_proxy_that_is_for_nothing_is_told_to_shells_alone():
    content = made(proxy=Proxy(no_proxy="a.com"))
    assert "proxy" not in json.loads(content)["ignition"]
    assert "/etc/profile.d/proxy.sh" in files_of(content)
    assert json.loads(made(proxy=Proxy(https_proxy="http://p:1")))["ignition"]["proxy"] == {"httpsProxy": "http://p:1"}


def test_time_sources_are_used_besides_those_of_the_system_or_instead_of_them():
    besides = files_of(made(additional_ntp_sources="ntp1,ntp2"))["/usr/local/bin/add-ntp-sources.sh"]
    instead = files_of(made(ntp_sources="ntp1,ntp2"))["/usr/local/bin/add-ntp-sources.sh"]
    assert ">>/etc/chrony.conf" in besides
    assert "makestep 1.0 -1" in besides
    assert "server ntp1 iburst\nserver ntp2 iburst\nsourcedir" in instead
    assert ">>" not in instead
    assert "add-ntp-sources.service" in units_of(made(ntp_sources="ntp1"))


def test_the_users_certificates_are_trusted():
    path = "/etc/pki/ca-trust/source/anchors/assisted-infraenv-additional-trust-bundle.pem"
    assert files_of(made(additional_trust_bundle=BUNDLE))[path] == BUNDLE


@pytest.mark.parametrize(
    ("kind", "asked", "applied"),
    [
        (ImageType.FULL, None, True),
        (ImageType.MINIMAL, None, False),
        (ImageType.MINIMAL, ImageType.FULL, True),
        (ImageType.FULL, ImageType.MINIMAL, False),
    ],
)
def test_a_full_image_applies_network_settings_itself(kind, asked, applied):
    content = made(asked, type=kind, static_network_config=NETWORK)
    assert ("pre-network-manager-config.service" in units_of(content)) is applied
    assert ("/etc/assisted/network/host0/mac_interface.ini" in files_of(content)) is applied
    assert ("/usr/local/bin/common_network_script.sh" in files_of(content)) is applied


@pytest.mark.parametrize("script", [each.path for each in FILES if each.mode == 0o755])
def test_a_shell_understands_every_script(script):
    text = files_of(made(**EVERYTHING))[script]
    ended = subprocess.run(["bash", "-n"], input=text, text=True, capture_output=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_what_the_user_wants_is_laid_over_it():
    motd = {"path": "/etc/motd", "contents": {"source": "data:;base64,aGVsbG8="}}
    agent = {"name": "agent.service", "enabled": False}
    wish = {"ignition": {"version": "3.2.0"}, "storage": {"files": [motd]}, "systemd": {"units": [agent]}}
    content = made(ignition_config_override=json.dumps(wish))
    assert json.loads(content)["ignition"]["version"] == "3.2.0"
    assert files_of(content)["/etc/motd"] == "hello"
    assert json.loads(content)["systemd"]["units"][0]["enabled"] is False
    assert "ExecStart" in units_of(content)["agent.service"]


def test_an_image_that_installs_without_this_service_is_not_configured_here():
    with pytest.raises(Refused, match="without this service"):
        made(type=ImageType.DISCONNECTED)
    assert list(room_problems(an_image(type=ImageType.DISCONNECTED), POLICY)) == []


# Room


def noise(size):
    """A text that cannot be made much shorter."""
    return "".join(random.Random(7).choices("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", k=size))


def override(size):
    file = {"path": "/etc/big", "contents": {"source": f"data:,{noise(size)}"}}
    return json.dumps({"ignition": {"version": "3.1.0"}, "storage": {"files": [file]}})


def test_an_ordinary_image_has_room():
    assert list(room_problems(an_image(**EVERYTHING), POLICY)) == []
    assert list(room_problems(an_image(type=ImageType.MINIMAL, **EVERYTHING), POLICY)) == []
    assert list(room_problems(an_image(type=ImageType.MINIMAL), POLICY)) == []


def test_a_long_config_that_can_be_made_short_has_room():
    wide = override(0).replace("data:,", "data:," + "a" * 1_000_000)
    assert list(room_problems(an_image(ignition_config_override=wide), POLICY)) == []


def test_a_config_beyond_the_room_there_is_names_both_figures():
    (problem,) = room_problems(an_image(ignition_config_override=override(400_000)), POLICY)
    assert "there is room for 262144" in problem
    assert int(problem.split(" takes ")[1].split()[0]) > 262144


def test_a_minimal_image_has_room_for_less_network():
    crowded = static_network_text((settings(f"# {noise(1_600_000)}\n"),))
    (problem,) = room_problems(an_image(type=ImageType.MINIMAL, static_network_config=crowded), POLICY)
    assert "minimal-iso has room for 1048576" in problem
