"""The scripts that start machines over the network, and which machines go on to their disk instead."""

import json

import pytest

from builders import INFRA_ENV_ID, a_host, a_machine, a_policy, an_infra_env
from muster.domain.artifacts.ipxe import boot_script, redirect_script, require_image
from muster.domain.discovery_settings import DiscoverySettings
from muster.domain.errors import NotFound, Refused
from muster.domain.hosts import HostState
from muster.domain.inventory import Interface
from muster.domain.progress import HostProgress, Stage

MAC = "52:54:00:AB:00:01"
POLICY = a_policy(image_service_url="http://images:8888")


def with_mac(name="h1", mac="52:54:00:ab:00:01", **changes):
    return a_host(name, inventory=a_machine(interfaces=(Interface(name="eth0", mac_address=mac),)), **changes)


def test_a_machine_starts_the_discovery_image():
    wanted = json.dumps(
        [{"operation": "append", "value": "console=ttyS0"}, {"operation": "append", "value": 'a="b c"'}]
    )
    script = boot_script(an_infra_env(openshift_version="4.20", kernel_arguments=wanted), POLICY)
    marker, initrd, kernel, boot = script.splitlines()
    query = "arch=x86_64&version=4.20"
    assert (marker, boot) == ("#!ipxe", "boot")
    assert initrd == f"initrd --name initrd http://images:8888/images/{INFRA_ENV_ID}/pxe-initrd?{query}"
    assert kernel == (
        f"kernel http://images:8888/boot-artifacts/kernel?{query} initrd=initrd"
        f" coreos.live.rootfs_url=http://images:8888/boot-artifacts/rootfs?{query}"
        " random.trust_cpu=on rd.luks.options=discard ignition.firstboot ignition.platform.id=metal"
        " console=tty1 console=ttyS1,115200n8"
        ' coreos.inst.persistent-kargs="console=tty1 console=ttyS1,115200n8"'
        ' console=ttyS0 a="b c"'
    )


def test_without_arguments_of_the_user_the_line_ends_with_ours():
    assert '115200n8"\nboot\n' in boot_script(an_infra_env(), POLICY)


@pytest.mark.parametrize(
    ("consoles", "told"),
    [
        ("ttyS0,9600", ' console=ttyS0,9600 coreos.inst.persistent-kargs="console=ttyS0,9600"\n'),
        ("", "ignition.platform.id=metal\n"),
    ],
)
def test_the_consoles_are_those_that_the_service_is_told(consoles, told):
    policy = POLICY.but(discovery=DiscoverySettings(consoles=consoles))
    assert told in boot_script(an_infra_env(), policy)


def test_a_machine_is_asked_who_it_is():
    assert redirect_script("http://service/files?a=b") == "#!ipxe\nchain http://service/files?a=b&mac=${net0/mac}\n"


@pytest.mark.parametrize("mac", [MAC, MAC.lower(), MAC.replace(":", "-"), "5254.00ab.0001"])
def test_an_installed_host_goes_on_to_its_disk_however_its_address_is_written(mac):
    with pytest.raises(NotFound, match="starts from its disk"):
        require_image([with_mac(status=HostState.INSTALLED)], mac)


@pytest.mark.parametrize("stage", [Stage.REBOOTING, Stage.IGNITION, Stage.CONFIGURING, Stage.JOINED, Stage.DONE])
def test_a_host_that_has_restarted_during_its_installation_goes_on_to_its_disk(stage):
    restarted = with_mac(status=HostState.IN_PROGRESS, progress=HostProgress(current_stage=stage))
    with pytest.raises(NotFound):
        require_image([restarted], MAC)


def test_a_host_that_has_joined_a_running_cluster_goes_on_to_its_disk():
    with pytest.raises(NotFound):
        require_image([with_mac(status=HostState.ADDED)], MAC)


@pytest.mark.parametrize(
    "hosts",
    [
        [],
        [with_mac(status=HostState.KNOWN)],
        [with_mac(status=HostState.IN_PROGRESS, progress=HostProgress(current_stage=Stage.WRITING))],
        [with_mac(mac="52:54:00:ab:00:02", status=HostState.INSTALLED)],
        [a_host("h1", inventory=None, status=HostState.INSTALLED)],
        [a_host("h1", inventory=a_machine(interfaces=None), status=HostState.INSTALLED)],
    ],
)
def test_every_other_machine_starts_the_image(hosts):
    require_image(hosts, MAC)


def test_an_address_that_several_hosts_have_is_told_with_their_names():
    with pytest.raises(Refused, match=r"several hosts \(h1, h2\)"):
        require_image([with_mac("h2"), with_mac("h1")], MAC)
