"""The domains whose names the service may create."""

import pytest

from muster.domain.errors import Invalid
from muster.domain.managed_domains import ManagedDomain, read_domains


def test_domains_are_read_with_their_zone_and_provider():
    assert read_domains({"lab.example.com": "Z123/route53"}) == (
        ManagedDomain(domain="lab.example.com", provider="route53", zone_id="Z123"),
    )
    assert read_domains({}) == ()


@pytest.mark.parametrize("place", ["Z123", "Z123/", "/route53", "Z123/other", ""])
def test_a_domain_that_cannot_be_read_is_told_with_how_to_write_it(place):
    with pytest.raises(Invalid, match=r"BASE_DNS_DOMAINS says lab\.example\.com.*domain:zone/provider.*route53"):
        read_domains({"lab.example.com": place})
