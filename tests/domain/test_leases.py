"""Virtual addresses by DHCP: under which MAC addresses they are leased, and what counts as a lease."""

import pytest

from muster.domain.leases import is_lease, vip_mac, without_end

LEASE = """lease {
  interface "api";
  fixed-address 192.168.1.250;
  option subnet-mask 255.255.255.0;
  option dhcp-renewal-time 1800;
  option dhcp-rebinding-time 3150;
  renew 1 2026/01/05 12:00:00;
  rebind 1 2026/01/05 12:22:30;
  expire 1 2026/01/05 12:30:00;
}
"""


@pytest.mark.parametrize(
    ("cluster_id", "name", "mac"),
    [
        ("00000000-0000-0000-0000-000000000000", "api", "00:1a:4a:2c:13:55"),
        ("00000000-0000-0000-0000-000000000000", "ingress", "00:1a:4a:11:95:b9"),
        ("11111111-2222-3333-4444-555555555555", "api", "00:1a:4a:12:20:0f"),
        ("11111111-2222-3333-4444-555555555555", "ingress", "00:1a:4a:c8:1f:0f"),
    ],
)
def test_a_cluster_leases_under_its_own_mac_addresses(cluster_id, name, mac):
    assert vip_mac(cluster_id, name) == mac


@pytest.mark.parametrize("text", ["", LEASE, " lease{ }", 'lease {\n  interface "api";\n}'])
def test_a_lease_is_told_from_anything_else(text):
    assert is_lease(text)


@pytest.mark.parametrize(
    "text",
    [
        "rm -rf",
        "lease {}",
        LEASE + LEASE,
        LEASE + "rm -rf",
        'lease {\n  interface "}";\n}',
        "lease {\n  Interface x;\n}",
        "lease {\n  fixed-address 10.0.0.1\n}",
    ],
)
def test_what_is_no_lease_is_not_taken_for_one(text):
    assert not is_lease(text)


def test_a_lease_is_made_to_last_without_touching_anything_else():
    kept = without_end(LEASE)
    assert [line.strip() for line in kept.splitlines() if "never" in line] == [
        "renew never;",
        "rebind never;",
        "expire never;",
    ]
    assert [line for line in kept.splitlines() if "never" not in line] == [
        line for line in LEASE.splitlines() if "2026" not in line
    ]
    assert is_lease(kept)
    assert without_end(kept) == kept
    assert without_end("") == ""
