"""What a caller has sent, turned into what a row of `wire/endpoints` asks for: content type, accept, path, query, body.

`app.py` calls `decode` once it is known that the caller may make the call. What is wrong first is told, in this order.
"""

import re
from collections.abc import AsyncIterator, Mapping
from typing import Any, get_args

import msgspec

from muster.api.call import Call
from muster.api.errors import Malformed
from muster.api.negotiation import accepts
from muster.api.sending import Receive
from muster.domain.inputs.fields import Uuid
from muster.domain.record import Record
from muster.wire.bodies import LARGEST, decode_body
from muster.wire.endpoints.endpoint import BYTES, FORM, IDS, Endpoint
from muster.wire.errors import problem
from muster.wire.query import parse_query, read_query

LET_PASS = 16 * LARGEST
"""How much of a body that is too large is waited for."""

_is_id = re.compile(get_args(Uuid)[1].pattern).match


async def decode(call: Call, endpoint: Endpoint, query: bytes, receive: Receive) -> None:
    """Give the call what its row asks for; `Malformed` if that cannot be made of what was sent."""
    if _has_body(call.headers):
        _check_content_type(call.headers, endpoint)
    elif not _is_accepted(call.headers.get("accept", ""), endpoint):
        raise Malformed(400, f"accept: this call answers with {endpoint.gives} and nothing else")
    _check_ids(call.parameters)
    if endpoint.query is not None:
        call.query = _parameters("query", endpoint.query, query.decode("latin-1"))
    if endpoint.headers is not None:
        call.said = _parameters("header", endpoint.headers, call.headers)
    if endpoint.takes == FORM:
        call.chunks = _chunks(receive)
    elif endpoint.body is not None:
        call.body = _body(call, endpoint, await _read(receive))


def _is_accepted(accept: str, endpoint: Endpoint) -> bool:
    """Whether the caller takes what it gets. Firmware says anything, and of who sends a body that is looked at."""
    return endpoint.file or _takes_body(endpoint) or accepts(accept, endpoint.gives)


def _takes_body(endpoint: Endpoint) -> bool:
    return endpoint.body is not None or endpoint.takes == FORM


def _has_body(headers: Mapping[str, str]) -> bool:
    """Whether a body is announced. One of unknown length may turn out to be none, and is looked at when it has come."""
    return headers.get("content-length", "0") != "0"


def _check_content_type(headers: Mapping[str, str], endpoint: Endpoint) -> None:
    given = headers.get("content-type", BYTES).split(";")[0].strip().lower()
    if given != endpoint.takes:
        raise Malformed(400, f"content-type: {given!r} is not supported here; send {endpoint.takes}")


def _check_ids(parameters: Mapping[str, str]) -> None:
    for name, value in parameters.items():
        if name in IDS and not _is_id(value):
            raise Malformed(400, f"path.{name}: {value!r} is not a UUID")


def _parameters(place: str, kind: type[Record], given: str | Mapping[str, str]) -> Record:
    try:
        return read_query(kind, given) if isinstance(given, str) else parse_query(kind, given)
    except msgspec.ValidationError as error:
        raise Malformed(400, problem(place, kind, error)) from error


async def _read(receive: Receive) -> bytes:
    """The whole body. What is too large is let pass by, so that its sender lives to read the answer."""
    message = await receive()
    pieces: list[bytes] = [message.get("body", b"")]
    size = len(pieces[0])
    while message.get("more_body") and size <= LET_PASS:
        message = await receive()
        piece: bytes = message.get("body", b"")
        size += len(piece)
        if size <= LARGEST:
            pieces.append(piece)
    if size > LARGEST:
        raise Malformed(413, f"body: it is larger than the {LARGEST} bytes that are accepted here")
    return b"".join(pieces)


async def _chunks(receive: Receive) -> AsyncIterator[bytes]:
    while True:
        message = await receive()
        if body := message.get("body"):
            yield body
        if not message.get("more_body"):
            return


def _body(call: Call, endpoint: Endpoint, raw: bytes) -> Any:
    if not raw:
        raise Malformed(400, "body: is required")
    _check_content_type(call.headers, endpoint)
    try:
        return decode_body(endpoint.body, raw, strict=call.service.settings.reject_unknown_fields)
    except msgspec.ValidationError as error:
        raise Malformed(400, problem("body", endpoint.body, error)) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Malformed(400, f"body: it is not JSON: {error}") from error
