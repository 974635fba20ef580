"""A call turned into a signed one, as Amazon's services want it: Signature Version 4. `route53.py` signs with it.

https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
"""

import hmac
from collections.abc import Mapping
from datetime import datetime
from hashlib import sha256
from urllib.parse import parse_qsl, quote, urlsplit

from muster.domain.record import Record

from .credentials import Login

ALGORITHM = "AWS4-HMAC-SHA256"
UNTOUCHED = "-_.~"
"""What is written as it is, besides letters and digits."""


class Place(Record):
    """For which service, and where, a signature counts."""

    region: str
    service: str


class Call(Record):
    """What is about to be sent."""

    method: str
    url: str
    headers: Mapping[str, str] = {}
    body: bytes = b""


def signed(call: Call, login: Login, place: Place, at: datetime) -> dict[str, str]:
    """The headers to send with the call: its own, and those that prove who sends it, at this moment."""
    moment = at.strftime("%Y%m%dT%H%M%SZ")
    scope = f"{moment[:8]}/{place.region}/{place.service}/aws4_request"
    own = {name.lower(): " ".join(value.split()) for name, value in call.headers.items()}
    headers = own | {"host": urlsplit(call.url).netloc, "x-amz-date": moment}
    if login.token:
        headers["x-amz-security-token"] = login.token
    names = ";".join(sorted(headers))
    request = _canonical(call, headers, names)
    text = "\n".join((ALGORITHM, moment, scope, sha256(request.encode()).hexdigest()))
    signature = hmac.new(_key(login, scope), text.encode(), sha256).hexdigest()
    said = f"{ALGORITHM} Credential={login.key_id}/{scope}, SignedHeaders={names}, Signature={signature}"
    return headers | {"authorization": said}


def _canonical(call: Call, headers: Mapping[str, str], names: str) -> str:
    """The call in the one way in which both sides write it down."""
    parts = urlsplit(call.url)
    query = sorted(
        (quote(name, safe=UNTOUCHED), quote(value, safe=UNTOUCHED))
        for name, value in parse_qsl(parts.query, keep_blank_values=True)
    )
    return "\n".join(
        (
            call.method,
            quote(parts.path or "/", safe=f"/{UNTOUCHED}"),
            "&".join(f"{name}={value}" for name, value in query),
            *(f"{name}:{headers[name]}" for name in sorted(headers)),
            "",
            names,
            headers.get("x-amz-content-sha256", sha256(call.body).hexdigest()),
        )
    )


def _key(login: Login, scope: str) -> bytes:
    """The key of one day, region and service."""
    key = f"AWS4{login.key}".encode()
    for part in scope.split("/"):
        key = hmac.new(key, part.encode(), sha256).digest()
    return key
