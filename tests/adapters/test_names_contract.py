"""Names are created, found and withdrawn by whoever keeps them: a twin in memory, and Route 53 (a stand-in for it)."""

import pytest

from muster.adapters.clock import SystemClock
from muster.adapters.memory.names import MemoryNames
from muster.adapters.names import Login, Route53, SharedLogins
from muster.domain.errors import Broken, Unavailable
from muster.domain.names import DnsName
from parts.route53 import KEY, KEY_ID, ZONE, Route53Zone

LOGIN = Login(key_id=KEY_ID, key=KEY)


def a_name(name="api.lab.example.com", address="192.0.2.5", kind="A", zone_id=ZONE):
    return DnsName(zone_id=zone_id, name=name, kind=kind, address=address)


API = a_name()
APPS = a_name("*.apps.lab.example.com", "192.0.2.6")
SIX = a_name(address="2001:db8::5", kind="AAAA")


@pytest.fixture
def zone():
    it = Route53Zone()
    it.start()
    yield it
    it.stop()


def at(zone, login=LOGIN):
    return Route53(SharedLogins(given=login), SystemClock(), zone.url)


@pytest.fixture(params=["memory", "route53"])
def names(request):
    return MemoryNames() if request.param == "memory" else at(request.getfixturevalue("zone"))


async def test_names_lead_where_they_say_and_creating_them_again_does_no_harm(names):
    for _ in range(2):
        await names.publish((API, APPS, SIX))
    assert await names.found((API, APPS, SIX)) == (API, APPS, SIX)
    assert await names.found((a_name("api-int.lab.example.com"),)) == ()


async def test_a_name_is_led_elsewhere(names):
    await names.publish((API,))
    other = API.but(address="192.0.2.9")
    await names.publish((other,))
    assert await names.found((API,)) == (other,)


async def test_names_are_withdrawn_and_absent_ones_do_not_matter(names):
    await names.publish((API, APPS, SIX))
    for _ in range(2):
        await names.withdraw((API, APPS))
    assert await names.found((API, APPS, SIX)) == (SIX,)
    await names.withdraw(())


async def test_a_name_that_others_have_led_elsewhere_stays(names):
    await names.publish((API,))
    await names.withdraw((API.but(address="192.0.2.9"),))
    assert await names.found((API,)) == (API,)


# Route 53 alone.


async def test_a_name_that_stands_for_another_or_leads_to_several_is_found_and_stays(zone):
    zone.records = {(API.name, "A"): (), (APPS.name, "A"): ("192.0.2.6", "192.0.2.7")}
    assert await at(zone).found((API,)) == (API.but(address=""),)
    assert [each.address for each in await at(zone).found((APPS,))] == ["192.0.2.6", "192.0.2.7"]
    await at(zone).withdraw((API, APPS))
    assert len(zone.records) == 2


async def test_the_names_of_a_zone_change_together(zone):
    await at(zone).publish((APPS, API, SIX))
    assert zone.calls == [f"POST /2013-04-01/hostedzone/{ZONE}/rrset"]


@pytest.mark.parametrize(
    ("code", "kind", "way_out"),
    [
        ("NoSuchHostedZone", Broken, "see in BASE_DNS_DOMAINS"),
        ("AccessDenied", Broken, "route53:ChangeResourceRecordSets"),
        ("InvalidChangeBatch", Broken, "InvalidChangeBatch, no$"),
        ("MethodNotAllowed", Broken, "MethodNotAllowed, no$"),
        ("Throttling", Unavailable, "Throttling"),
        ("PriorRequestNotComplete", Unavailable, "PriorRequestNotComplete"),
        ("ServiceUnavailable", Unavailable, "ServiceUnavailable"),
    ],
)
async def test_what_is_refused_is_told_with_the_zone_and_the_way_out(zone, code, kind, way_out):
    zone.refuses = code
    with pytest.raises(kind, match=f"changing zone {ZONE} in the DNS: .*{way_out}"):
        await at(zone).publish((API,))
    with pytest.raises(kind, match=f"looking into zone {ZONE} of the DNS"):
        await at(zone).found((API,))


@pytest.mark.parametrize(
    ("login", "way_out"),
    [(Login(key_id="other", key=KEY), "keys are valid"), (Login(key_id=KEY_ID, key="wrong"), "secret is the one")],
)
async def test_a_login_that_is_not_known_is_told_without_its_secret(zone, login, way_out):
    with pytest.raises(Broken, match=way_out) as caught:
        await at(zone, login).publish((API,))
    assert login.key not in str(caught.value) + repr(login)


async def test_keys_that_last_for_a_while_go_with_their_token(zone):
    await at(zone, LOGIN.but(token="for a while")).publish((API,))
    assert zone.records


async def test_a_provider_that_is_away_or_says_nothing_readable_is_asked_again(zone):
    zone.garbled = True
    with pytest.raises(Unavailable, match="with what cannot be read"):
        await at(zone).publish((API,))
    zone.stop()
    with pytest.raises(Unavailable, match=r"http://127\.0\.0\.1:\d+ does not answer"):
        await at(zone).publish((API,))
