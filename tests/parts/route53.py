"""A stand-in for Amazon's Route 53, which cannot be had here: one hosted zone, its calls, its XML, its ways to refuse.

It checks signatures with an implementation of its own, written from Amazon's description, so that ours is not held
against itself. A real zone behaves the same way where it is asked what the service asks.
"""

import hashlib
import hmac
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlsplit
from xml.etree import ElementTree as ET

KEY_ID, KEY = "AKIDEXAMPLE", "names-open-sesame"
ZONE = "Z0123456789"
SPACE = "https://route53.amazonaws.com/doc/2013-04-01/"
X = f"{{{SPACE}}}"

REFUSALS = {
    "NoSuchHostedZone": 404,
    "AccessDenied": 403,
    "InvalidClientTokenId": 403,
    "SignatureDoesNotMatch": 403,
    "Throttling": 400,
    "PriorRequestNotComplete": 400,
    "ServiceUnavailable": 503,
    "MethodNotAllowed": 405,
    "InvalidChangeBatch": 400,
}


class Route53Zone:
    """One zone, from `start` to `stop`; it keeps its records meanwhile."""

    def __init__(self) -> None:
        self.records: dict[tuple[str, str], tuple[str, ...]] = {}
        """By name and type, where each leads; () for one that stands for another name."""
        self.refuses = ""
        """The code with which every call is refused, if any."""
        self.garbled = False
        self.calls: list[str] = []
        self._server: ThreadingHTTPServer | None = None
        self.port = 0

    @property
    def url(self) -> str:
        """Where it is called."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Answer calls, at the same port as before if there was one."""
        zone = self

        class Door(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                zone.answer(self)

            def do_POST(self) -> None:
                zone.answer(self)

            def log_message(self, *_: Any) -> None:
                """Tests look at the calls themselves."""

        self._server = ThreadingHTTPServer(("127.0.0.1", self.port), Door)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def stop(self) -> None:
        """Answer nobody."""
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def answer(self, call: BaseHTTPRequestHandler) -> None:
        """What Route 53 would."""
        body = call.rfile.read(int(call.headers.get("Content-Length") or 0))
        self.calls.append(f"{call.command} {call.path}")
        status, said = self._said(call, body)
        sent = b"<html>" if self.garbled else ET.tostring(said)
        call.send_response(status)
        call.send_header("Content-Type", "text/xml")
        call.send_header("Content-Length", str(len(sent)))
        call.end_headers()
        call.wfile.write(sent)

    def _said(self, call: BaseHTTPRequestHandler, body: bytes) -> tuple[int, ET.Element]:
        parts = urlsplit(call.path)
        said = self.refuses or signature_problem(call, body)
        if not said and not parts.path.startswith(f"/2013-04-01/hostedzone/{ZONE}/rrset"):
            said = "NoSuchHostedZone"
        if said:
            return REFUSALS[said], refusal(said)
        if call.command == "GET":
            return 200, self._listed(dict(parse_qsl(parts.query)))
        return self._changed(ET.fromstring(body))

    def _listed(self, query: dict[str, str]) -> ET.Element:
        """As Route 53 does, names from the one asked for on: also others, if there is none like it."""
        root = ET.Element(f"{X}ListResourceRecordSetsResponse")
        sets = ET.SubElement(root, f"{X}ResourceRecordSets")
        wanted = (backwards(query["name"]), query["type"])
        later = sorted(
            (backwards(name), kind, name) for name, kind in self.records if (backwards(name), kind) >= wanted
        )
        for _, kind, name in later[: int(query["maxitems"])]:
            record = ET.SubElement(sets, f"{X}ResourceRecordSet")
            ET.SubElement(record, f"{X}Name").text = name.replace("*", "\\052") + "."
            ET.SubElement(record, f"{X}Type").text = kind
            if values := self.records[name, kind]:
                held = ET.SubElement(record, f"{X}ResourceRecords")
                for value in values:
                    ET.SubElement(ET.SubElement(held, f"{X}ResourceRecord"), f"{X}Value").text = value
            else:
                ET.SubElement(record, f"{X}AliasTarget")
        return root

    def _changed(self, asked: ET.Element) -> tuple[int, ET.Element]:
        """All changes of a batch or none."""
        after = dict(self.records)
        for change in asked.iter(f"{X}Change"):
            action, ttl = change.findtext(f"{X}Action"), change.findtext(f".//{X}TTL")
            key = (change.findtext(f".//{X}Name") or "", change.findtext(f".//{X}Type") or "")
            values = tuple(value.text or "" for value in change.iter(f"{X}Value"))
            assert ttl == "60", ttl
            if action == "UPSERT":
                after[key] = values
            elif action == "DELETE" and after.get(key) == values:
                del after[key]
            else:
                return 400, refusal("InvalidChangeBatch", f"Tried to delete {key[0]} but it was not found")
        self.records = after
        return 200, ET.Element(f"{X}ChangeResourceRecordSetsResponse")


def backwards(name: str) -> list[str]:
    """A name as zones are sorted."""
    return name.split(".")[::-1]


def refusal(code: str, words: str = "no") -> ET.Element:
    """An error as Route 53 writes it; bad batches have a form of their own."""
    if code == "InvalidChangeBatch":
        root = ET.Element(f"{X}InvalidChangeBatch")
        ET.SubElement(ET.SubElement(root, f"{X}Messages"), f"{X}Message").text = words
        return root
    root = ET.Element(f"{X}ErrorResponse")
    error = ET.SubElement(root, f"{X}Error")
    ET.SubElement(error, f"{X}Code").text = code
    ET.SubElement(error, f"{X}Message").text = words
    return root


def signature_problem(call: BaseHTTPRequestHandler, body: bytes) -> str:
    """What is wrong with the signature of a call; "" if nothing is."""
    said = call.headers.get("Authorization", "")
    fields = dict(part.strip().split("=", 1) for part in said.removeprefix("AWS4-HMAC-SHA256 ").split(","))
    key_id, day, region, service, end = fields["Credential"].split("/")
    if (key_id, region, service, end) != (KEY_ID, "us-east-1", "route53", "aws4_request"):
        return "InvalidClientTokenId"
    parts = urlsplit(call.path)
    query = "&".join(
        f"{quote(unquote(name), safe='-_.~')}={quote(unquote(value.replace('+', ' ')), safe='-_.~')}"
        for name, _, value in sorted(part.partition("=") for part in parts.query.split("&") if part)
    )
    lines = [call.command, quote(parts.path, safe="/-_.~"), query]
    names = fields["SignedHeaders"].split(";")
    lines += [f"{name}:{call.headers[name].strip()}" for name in names]
    lines += ["", fields["SignedHeaders"], hashlib.sha256(body).hexdigest()]
    digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()
    moment = call.headers["X-Amz-Date"]
    text = "\n".join(["AWS4-HMAC-SHA256", moment, f"{day}/{region}/{service}/{end}", digest])
    key = ("AWS4" + KEY).encode()
    for part in (day, region, service, end):
        key = hmac.digest(key, part.encode(), "sha256")
    good = hmac.digest(key, text.encode(), "sha256").hex()
    return "" if {"host", "x-amz-date"} <= set(names) and good == fields["Signature"] else "SignatureDoesNotMatch"
