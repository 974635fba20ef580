"""Names in hosted zones of Amazon's Route 53, by way of its REST API. Fulfils `ports.Names`.

https://docs.aws.amazon.com/Route53/latest/APIReference/ says what is sent and what comes back.
"""

import asyncio
from collections.abc import Iterable, Sequence
from itertools import groupby
from urllib.parse import urlencode
from xml.etree import ElementTree as ET

import aiohttp
from yarl import URL

from muster.adapters.proxies import proxy_for
from muster.domain.errors import Broken, MusterError, Unavailable
from muster.domain.names import LASTS, DnsName
from muster.ports import Clock

from .credentials import SharedLogins
from .signing import Call, Place, signed

ENDPOINT = "https://route53.amazonaws.com"
PLACE = Place(region="us-east-1", service="route53")
"""It is the same everywhere, and is signed for there."""

SPACE = "https://route53.amazonaws.com/doc/2013-04-01/"
XML = f"{{{SPACE}}}"
PATIENCE = aiohttp.ClientTimeout(total=30)
LARGEST = 1024 * 1024
BUSY = frozenset({"PriorRequestNotComplete", "RequestLimitExceeded", "Throttling", "ThrottlingException"})
"""Codes that mean: ask again."""

FAULTS = 500
TOO_MANY = 429
OK = 200

REMEDIES = {
    "NoSuchHostedZone": "see in BASE_DNS_DOMAINS whether the zone is named rightly",
    "AccessDenied": "let it list and change the records of the zone (route53:ListResourceRecordSets,"
    " route53:ChangeResourceRecordSets)",
    "InvalidClientTokenId": "see in AWS_SHARED_CREDENTIALS_FILE whether the keys are valid",
    "SignatureDoesNotMatch": "see in AWS_SHARED_CREDENTIALS_FILE whether the secret is the one of its key",
    "ExpiredToken": "renew the keys in AWS_SHARED_CREDENTIALS_FILE",
}
"""What to do about what the provider says, by its codes."""


class Route53:
    """Hosted zones, and the login that may change them."""

    def __init__(self, logins: SharedLogins, clock: Clock, endpoint: str = ENDPOINT) -> None:
        self._logins = logins
        self._clock = clock
        self._endpoint = endpoint.rstrip("/")

    async def found(self, names: Sequence[DnsName]) -> tuple[DnsName, ...]:
        """Where each of these names leads now; an address for each record, "" for a name that stands for another."""
        return tuple([each for name in names for each in await self._found(name)])

    async def publish(self, names: Sequence[DnsName]) -> None:
        """Let each of these names lead where it says; those of a zone change together."""
        await self._change("UPSERT", names)

    async def withdraw(self, names: Sequence[DnsName]) -> None:
        """Remove these names, as far as they still lead where they say and nowhere else."""
        left = [each for each in names if await self._found(each) == [each]]
        await self._change("DELETE", left)

    async def _found(self, name: DnsName) -> list[DnsName]:
        query = urlencode({"name": name.name, "type": name.kind, "maxitems": "1"})
        said = await self._answer("GET", name.zone_id, f"rrset?{query}")
        return [
            name.but(address=address)
            for record in said.iter(f"{XML}ResourceRecordSet")
            if (_plain(_text(record, "Name")), _text(record, "Type")) == (name.name, name.kind)
            for address in _addresses(record)
        ]

    async def _change(self, action: str, names: Iterable[DnsName]) -> None:
        for zone_id, of_zone in groupby(sorted(names, key=lambda each: each.place), key=lambda each: each.zone_id):
            await self._answer("POST", zone_id, "rrset", _batch(action, of_zone))

    async def _answer(self, method: str, zone_id: str, what: str, body: bytes = b"") -> ET.Element:
        """What the provider says about a zone."""
        url = f"{self._endpoint}/2013-04-01/hostedzone/{zone_id}/{what}"
        doing = f"changing zone {zone_id} in the DNS" if body else f"looking into zone {zone_id} of the DNS"
        headers = {"content-type": "text/xml"} if body else {}
        login = await asyncio.to_thread(self._logins.login)
        call = Call(method=method, url=url, headers=headers, body=body)
        status, said = await self._sent(call, signed(call, login, PLACE, self._clock.now()), doing)
        try:
            answer = ET.fromstring(said)  # noqa: S314 - it is of the provider, over TLS, and not large
        except ET.ParseError as error:
            raise Unavailable(f"{doing}: {self._endpoint} answers {status} with what cannot be read") from error
        if status != OK:
            raise _refusal(status, answer, doing)
        return answer

    async def _sent(self, call: Call, headers: dict[str, str], doing: str) -> tuple[int, bytes]:
        # The address is sent exactly as it was signed.
        url = URL(call.url, encoded=True)
        try:
            async with (
                aiohttp.ClientSession(timeout=PATIENCE, cookie_jar=aiohttp.DummyCookieJar()) as session,
                session.request(
                    call.method, url, data=call.body or None, headers=headers, proxy=proxy_for(url)
                ) as response,
            ):
                return response.status, await response.content.read(LARGEST)
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise Unavailable(f"{doing}: {self._endpoint} does not answer ({type(error).__name__})") from error


def _batch(action: str, names: Iterable[DnsName]) -> bytes:
    """One change of all these names."""
    root = ET.Element("ChangeResourceRecordSetsRequest", xmlns=SPACE)
    changes = ET.SubElement(ET.SubElement(root, "ChangeBatch"), "Changes")
    for each in names:
        change = ET.SubElement(changes, "Change")
        ET.SubElement(change, "Action").text = action
        record = ET.SubElement(change, "ResourceRecordSet")
        for tag, text in (("Name", each.name), ("Type", each.kind), ("TTL", str(LASTS))):
            ET.SubElement(record, tag).text = text
        held = ET.SubElement(ET.SubElement(record, "ResourceRecords"), "ResourceRecord")
        ET.SubElement(held, "Value").text = each.address
    return bytes(ET.tostring(root, encoding="utf-8", xml_declaration=True))


def _addresses(record: ET.Element) -> list[str]:
    return [value.text or "" for value in record.iter(f"{XML}Value")] or [""]


def _text(parent: ET.Element, tag: str) -> str:
    return parent.findtext(f"{XML}{tag}", "")


def _plain(name: str) -> str:
    """A name as we write it: without the dot at its end, and with a star for what the provider writes in octal."""
    return name.removesuffix(".").replace("\\052", "*")


def _refusal(status: int, answer: ET.Element, doing: str) -> MusterError:
    """What the provider has against a call: worth another try, or not, and then with the way out."""
    code = answer.findtext(f".//{XML}Code", "") or answer.tag.removeprefix(XML)
    words = answer.findtext(f".//{XML}Message", "").strip()
    said = f"{doing}: the provider says {code}" + (f", {words}" if words else "")
    if status >= FAULTS or status == TOO_MANY or code in BUSY:
        return Unavailable(said)
    remedy = REMEDIES.get(code)
    return Broken(f"{said}; {remedy}" if remedy else said)
