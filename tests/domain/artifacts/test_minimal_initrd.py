"""What a minimal image needs before it can fetch its system: network settings and proxy, or nothing at all."""

import gzip
import stat

import pytest

from builders import an_infra_env
from muster.domain.artifacts.cpio import archive, padded, regular
from muster.domain.artifacts.minimal_initrd import minimal_initrd
from muster.domain.errors import Refused
from muster.domain.networks import Proxy
from parts.networks import a_host, kept

NETWORK = kept(a_host())
PROXY = Proxy(http_proxy="http://me:p%40ss@proxy:3128", no_proxy='a,"b"')
DROP_IN = "/etc/systemd/system/coreos-livepxe-rootfs.service.d/10-proxy.conf"


def unpacked(packed):
    """The entries of an archive, in order: path, mode, content."""
    raw, place, entries = gzip.decompress(packed), 0, []
    while True:
        fields = [int(raw[place + 6 + 8 * index : place + 14 + 8 * index], 16) for index in range(13)]
        assert raw[place : place + 6] == b"070701"
        name_at = place + 110
        name = raw[name_at : name_at + fields[11] - 1].decode()
        content_at = -(-(name_at + fields[11]) // 4) * 4
        if name == "TRAILER!!!":
            return entries
        entries.append((name, fields[1], raw[content_at : content_at + fields[6]].decode()))
        place = -(-(content_at + fields[6]) // 4) * 4


def test_an_image_that_needs_nothing_gets_nothing():
    assert minimal_initrd(an_infra_env()) is None


def test_network_settings_come_with_what_applies_them():
    entries = unpacked(minimal_initrd(an_infra_env(**NETWORK, network_discovery_delay_seconds=7)))
    modes = {name: mode for name, mode, _ in entries}
    assert modes["/etc/assisted/network/host0/mac_interface.ini"] == stat.S_IFREG | 0o600
    assert modes["/etc/assisted/network/host0/eth0.nmconnection"] == stat.S_IFREG | 0o600
    assert modes["/usr/local/bin/pre-network-manager-config.sh"] == stat.S_IFREG | 0o755
    assert modes["/usr/local/bin/common_network_script.sh"] == stat.S_IFREG | 0o755
    unit = "/etc/systemd/system/pre-network-manager-config.service"
    link = "/etc/systemd/system/initrd.target.wants/pre-network-manager-config.service"
    texts = {name: text for name, _, text in entries}
    assert (modes[link], texts[link]) == (stat.S_IFLNK | 0o777, unit)
    assert "DISCOVERY_DELAY_SECONDS=7" in texts[unit]
    assert DROP_IN not in texts


def test_network_settings_that_make_no_keyfiles_are_refused():
    image = an_infra_env(**kept(a_host("interfaces: [{name: d0, type: dummy}]")))
    with pytest.raises(Refused, match="start the host from a full-iso"):
        minimal_initrd(image)


def test_folders_come_before_what_is_in_them():
    entries = unpacked(minimal_initrd(an_infra_env(**NETWORK)))
    names = [name for name, _, _ in entries]
    assert names[:4] == ["/etc", "/etc/assisted", "/etc/assisted/network", "/etc/assisted/network/host0"]
    assert entries[0][1] == stat.S_IFDIR | 0o755
    assert len(names) == len(set(names))


def test_a_proxy_is_told_to_what_fetches_the_system():
    ((_, mode, text),) = [each for each in unpacked(minimal_initrd(an_infra_env(proxy=PROXY))) if each[0] == DROP_IN]
    assert mode == stat.S_IFREG | 0o644
    assert text.splitlines() == [
        "[Service]",
        'Environment="HTTP_PROXY=http://me:p%%40ss@proxy:3128"',
        'Environment="http_proxy=http://me:p%%40ss@proxy:3128"',
        'Environment="HTTPS_PROXY="',
        'Environment="https_proxy="',
        'Environment="NO_PROXY=a,\\"b\\""',
        'Environment="no_proxy=a,\\"b\\""',
    ]


def test_the_same_files_make_the_same_archive_and_another_may_follow_it():
    assert archive([regular("x", "y", 0o644)]) == archive([regular("x", "y", 0o644)])
    assert [len(padded(bytes(size))) for size in (0, 1, 4, 5)] == [0, 4, 4, 8]
