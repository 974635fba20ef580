"""The config of a discovery image: what is always there, what the infra-env adds, and what it has room for."""

import json
import random
import subprocess
from datetime import timedelta

import pytest

from builders import INFRA_ENV_ID, an_infra_env
from muster.domain.artifacts.discovery_ignition import (
    FILES,
    ROOM,
    TOKEN,
    Discovery,
    discovery_ignition,
    discovery_of,
    room_problems,
)
from muster.domain.discovery_settings import DiscoverySettings
from muster.domain.errors import Refused
from muster.domain.infra_envs import ImageType
from muster.domain.inputs.static_networks import (
    HostNetworkInput,
    MacInterfaceInput,
    described,
    host_networks,
    static_network_text,
)
from muster.domain.networks import Proxy
from muster.domain.policy import Policy
from muster.domain.trust import Mirrors, Trust
from muster.wire.nmstate import read_network
from parts.ignition import complaints, files_of, needs_ignition, units_of

SECRET = '{"auths":{"quay.io":{"auth":"dXNlcjpwYXNz"}}}'
KEYS = "ssh-ed25519 AAAA one\n\n ssh-ed25519 BBBB two\n"
POLICY = Policy(service_url="https://assisted.example.com", agent_image="quay.io/agent:1")
BUNDLE = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----"
PROXY = Proxy(http_proxy="http://me:it's%40@proxy:3128", no_proxy="a.com, .b.com")


def texts_of_a_unit():
    return "[Service]\nExecStart=/bin/true\n[Install]\nWantedBy=multi-user.target\n"


def settings(remark=""):
    """The network settings of a host, as they are kept."""
    interface = MacInterfaceInput(logical_nic_name="eth0", mac_address="52:54:00:00:00:01")
    text = f"interfaces: [{{name: eth0, type: ethernet, description: 'a{remark}'}}]\n"
    hosts = described((HostNetworkInput(network_yaml=text, mac_interface_map=(interface,)),), (read_network(text),))
    return {"static_network_config": static_network_text(hosts), "networks": host_networks(hosts)}


NETWORK = settings()
EVERYTHING = {
    "ssh_authorized_key": KEYS,
    "proxy": PROXY,
    "ntp_sources": "ntp1,ntp2",
    "additional_trust_bundle": BUNDLE,
    **NETWORK,
}


def an_image(**changes):
    return an_infra_env(pull_secret=SECRET, **changes)


NOBODY = Trust()


def made(kind=None, policy=POLICY, **changes):
    return discovery_ignition(discovery_of(an_image(**changes), policy, kind))


def set_to(trust=NOBODY, **settings):
    """The policy of a service that is set up otherwise."""
    return POLICY.but(discovery=DiscoverySettings(**settings), trust=trust)


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
        "/usr/local/bin/muster-banner",
        "/etc/multipath.conf",
        "/usr/local/bin/oci-eval-user-data.sh",
    ]
    assert list(units_of(content)) == [
        "agent.service",
        "selinux.service",
        "muster-banner.service",
        "multipathd.service",
        "iscsistart.service",
        "oci-eval-user-data.service",
    ]


def test_the_same_inputs_make_the_same_bytes_without_a_blank_to_spare():
    content = made(**EVERYTHING)
    assert content == made(**EVERYTHING)
    assert content == json.dumps(json.loads(content), separators=(",", ":")).encode()


def test_the_pull_secret_is_for_root_alone():
    (kept,) = [each for each in json.loads(made())["storage"]["files"] if each["path"] == "/root/.docker/config.json"]
    assert kept["mode"] == 0o600
    assert files_of(made())["/root/.docker/config.json"] == SECRET


MIRRORS = Mirrors(registries='[[registry]]\nlocation = "quay.io"\n', ca=BUNDLE)
OKD = {"okd_rpms_image": "quay.io/okd/rpms:1"}
ALL_TRUST = Trust(service_ca=BUNDLE, vendor_ca=BUNDLE, mirrors=MIRRORS)
IRONIC = json.dumps({
    "ignition": {"version": "3.2.0"},
    "storage": {"files": [{"path": "/etc/ironic-python-agent.conf", "contents": {"source": "data:;base64,YQ=="}}]},
    "systemd": {"units": [{"name": "ironic-agent.service", "enabled": True, "contents": texts_of_a_unit()}]},
})  # fmt: skip
WISHES = ({}, EVERYTHING, {"additional_ntp_sources": "ntp1", "internal_ignition_config_override": IRONIC})
POLICIES = (POLICY, set_to(ALL_TRUST, insecure_policy=True, skip_cert_verification=True), set_to(ALL_TRUST, **OKD))


@needs_ignition
@pytest.mark.parametrize("kind", [ImageType.FULL, ImageType.MINIMAL])
@pytest.mark.parametrize("changes", WISHES)
@pytest.mark.parametrize("policy", POLICIES)
def test_ignition_accepts_what_is_made(kind, changes, policy):
    assert complaints(made(kind, policy, **changes)) == ""


@pytest.mark.parametrize(
    ("settings", "trust", "said"),
    [
        ({}, Trust(), "--insecure=false"),
        ({"skip_cert_verification": True}, Trust(), "--insecure=true"),
        ({}, Trust(service_ca=BUNDLE), "--insecure=false --cacert /etc/assisted-service/service-ca-cert.crt"),
    ],
)
def test_the_agent_is_told_how_to_know_the_service(settings, trust, said):
    (command,) = lines_of(units_of(made(policy=set_to(trust, **settings)))["agent.service"], "ExecStart")
    assert command.partition("quay.io/agent:1 ")[2] == said


def test_the_agent_has_as_long_to_start_as_is_set():
    unit = units_of(made(policy=set_to(agent_start=timedelta(minutes=3))))["agent.service"]
    assert lines_of(unit, "TimeoutStartSec") == ["180"]


def test_the_service_and_a_company_are_trusted_where_their_certificates_are_given():
    content = files_of(made(policy=set_to(Trust(service_ca="one", vendor_ca="two"))))
    assert content["/etc/assisted-service/service-ca-cert.crt"] == "one"
    assert content["/etc/pki/ca-trust/source/anchors/rh-it-root-ca.crt"] == "two"


def test_images_are_fetched_from_the_mirrors_of_the_service_or_of_the_infra_env():
    registries, ca = "/etc/containers/registries.conf", "/etc/pki/ca-trust/source/anchors/domain.crt"
    policy = set_to(Trust(mirrors=MIRRORS))
    assert files_of(made(policy=policy))[registries] == MIRRORS.registries
    assert files_of(made(policy=policy))[ca] == BUNDLE
    own = files_of(made(policy=policy, mirrors=Mirrors(registries="[[registry]]")))
    assert own[registries] == "[[registry]]"
    assert ca not in own
    assert registries not in files_of(made())


def test_unsigned_images_are_taken_only_where_there_are_mirrors():
    path = "/etc/containers/policy.json"
    assert path not in files_of(made(policy=set_to(insecure_policy=True)))
    assert path not in files_of(made(policy=set_to(Trust(mirrors=MIRRORS))))
    kept = files_of(made(policy=set_to(Trust(mirrors=MIRRORS), insecure_policy=True)))[path]
    assert json.loads(kept)["default"] == [{"type": "insecureAcceptAnything"}]


def test_a_machine_for_okd_gets_what_its_system_lacks_and_nothing_of_the_other():
    content = made(policy=set_to(**OKD))
    assert "image=quay.io/okd/rpms:1\n" in files_of(content)["/usr/local/bin/okd-binaries.sh"]
    assert "okd-overlay.service" in files_of(content)["/etc/systemd/system/agent.service.d/wait-for-okd.conf"]
    assert "/etc/systemd/system/release-image-pivot.service.d/wait-for-okd.conf" in files_of(content)
    assert {"okd-overlay.service", "systemd-journal-gatewayd.socket"} <= units_of(content).keys()
    assert "/etc/multipath.conf" not in files_of(content)
    assert not units_of(content).keys() & {"multipathd.service", "iscsistart.service", "oci-eval-user-data.service"}
    assert "okd-overlay.service" not in units_of(made(policy=set_to(okd=False, **OKD)))


def test_what_is_laid_over_from_within_starts_the_agent_and_the_user_has_the_last_word():
    conf = "/etc/ironic-python-agent.conf"
    wish = {
        "ignition": {"version": "3.1.0"},
        "storage": {"files": [{"path": conf, "contents": {"source": "data:;base64,Yg=="}}]},
    }
    within = made(internal_ignition_config_override=IRONIC)
    assert json.loads(within)["systemd"]["units"][0]["enabled"] is False
    assert files_of(within)[conf] == "a"
    both = made(internal_ignition_config_override=IRONIC, ignition_config_override=json.dumps(wish))
    assert files_of(both)[conf] == "b"
    assert json.loads(both)["ignition"]["version"] == "3.2.0"


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
    content = made(asked, type=kind, openshift_version="4.18", **NETWORK)
    assert ("pre-network-manager-config.service" in units_of(content)) is applied
    assert ("/etc/assisted/network/host0/mac_interface.ini" in files_of(content)) is applied
    assert ("/usr/local/bin/common_network_script.sh" in files_of(content)) is applied


@pytest.mark.parametrize("script", [each.path for each in FILES if each.mode == 0o755])
def test_a_shell_understands_every_script(script):
    policy = set_to(**OKD) if "okd" in script else POLICY
    text = files_of(made(policy=policy, **EVERYTHING))[script]
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
    assert f"there is room for {ROOM - TOKEN};" in problem
    assert int(problem.split(" takes ")[1].split()[0]) > ROOM - TOKEN


def test_a_config_that_fits_when_it_is_compressed_better_has_room():
    # What repeats itself at a great distance is noticed by the better way only.
    twice = override(200_000).replace("data:,", "data:," + noise(200_000))
    assert list(room_problems(an_image(ignition_config_override=twice), POLICY)) == []


def test_a_minimal_image_has_room_for_its_network_and_its_config_together():
    crowded = settings(noise(180_000))
    wish = override(200_000)
    assert list(room_problems(an_image(type=ImageType.MINIMAL, **crowded), POLICY)) == []
    assert list(room_problems(an_image(type=ImageType.MINIMAL, ignition_config_override=wish), POLICY)) == []
    both = an_image(type=ImageType.MINIMAL, ignition_config_override=wish, **crowded)
    (problem,) = room_problems(both, POLICY)
    assert "of them for the network before the system is there" in problem
