"""The ASGI application: finds the function for a call, decodes for it, encodes what it answers.

Built from the rows of `wire/endpoints.py`. The server (granian) calls it; nothing else does.
"""

import gzip
from collections.abc import AsyncIterator, Awaitable, Callable
from time import perf_counter
from typing import Any
from urllib.parse import parse_qsl

import msgspec
import structlog

from muster.api import clusters, events, files, hosts, infra_envs, muster, service, versions
from muster.api.call import Answer, Call, Served, json_answer
from muster.api.errors import STATUSES, Malformed
from muster.api.memories import Memories
from muster.api.metrics import observe
from muster.api.routes import Routes
from muster.domain.errors import MusterError
from muster.runtime.wiring import Service
from muster.wire.bodies import LARGEST, decode_body
from muster.wire.endpoints import BYTES, FORM, JSON
from muster.wire.errors import malformed, refusal
from muster.wire.query import parse_query

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]

log = structlog.get_logger()

COMPRESSED_FROM = 1400
"""Smaller bodies are not worth compressing."""

FACES = (clusters, events, files, hosts, infra_envs, muster, versions)

SERVED: tuple[Served, ...] = tuple(each for face in FACES for each in vars(face).values() if isinstance(each, Served))


class App:
    """One service behind HTTP."""

    def __init__(self, running: Service) -> None:
        self._service = running
        self._memories = Memories(running.store)
        self._routes = Routes(SERVED)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one call."""
        if scope["type"] == "lifespan":
            await _live(receive, send)
            return
        started = perf_counter()
        method, path = scope["method"], scope["path"]
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        headers.setdefault("x-request-id", self._service.new_id())
        plain = service.PLAIN.get(path)
        if plain is not None and method == "GET":
            answer = await plain(self._service)
            await _send(send, answer, answer.status, headers)
            return
        name = "unknown"
        content_type = JSON
        try:
            served, parameters = self._routes.find(method, path)
            name, content_type = served.endpoint.name, served.endpoint.gives
            call = Call(self._service, self._memories, parameters, headers)
            await _decode(call, served, scope, receive)
            answer = _answer(await served.serve(call), served)
        except Exception as error:  # noqa: BLE001 - the one place where every failure becomes an answer
            answer = _failure(error, headers["x-request-id"], f"{method} {path}", content_type)
        observe(name, answer.status, perf_counter() - started)
        await _send(send, answer, answer.status, headers)


async def _live(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return


async def _decode(call: Call, served: Served, scope: Scope, receive: Receive) -> None:
    endpoint = served.endpoint
    if endpoint.query is not None:
        given = dict(parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True))
        try:
            call.query = parse_query(endpoint.query, given)
        except msgspec.ValidationError as error:
            raise Malformed(400, f"query: {error}") from error
    elif scope["query_string"]:
        call.query = dict(parse_qsl(scope["query_string"].decode("latin-1")))
    if endpoint.takes == FORM:
        call.chunks = _chunks(receive)
    elif endpoint.body is not None:
        call.body = _body(endpoint.body, await _read(receive, call.headers), call.headers)


async def _read(receive: Receive, headers: dict[str, str]) -> bytes:
    if int(headers.get("content-length") or 0) > LARGEST:
        raise Malformed(413, f"the body is larger than the {LARGEST} bytes that are accepted here")
    message = await receive()
    body: bytes = message.get("body", b"")
    while message.get("more_body"):
        message = await receive()
        body += message.get("body", b"")
        if len(body) > LARGEST:
            raise Malformed(413, f"the body is larger than the {LARGEST} bytes that are accepted here")
    return body


async def _chunks(receive: Receive) -> AsyncIterator[bytes]:
    while True:
        message = await receive()
        if body := message.get("body"):
            yield body
        if not message.get("more_body"):
            return


def _body(kind: Any, raw: bytes, headers: dict[str, str]) -> Any:
    if not raw:
        raise Malformed(400, "body is required")
    given = headers.get("content-type", BYTES).split(";")[0].strip().lower()
    if given != JSON:
        raise Malformed(400, f"content type {given!r} is not supported here; send application/json")
    try:
        return decode_body(kind, raw)
    except msgspec.ValidationError as error:
        raise Malformed(400, f"body: {error}") from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Malformed(400, f"body is not JSON: {error}") from error


def _answer(value: Any, served: Served) -> Answer:
    endpoint = served.endpoint
    answer = value if isinstance(value, Answer) else Answer(b"" if value is None else _encoded(value))
    answer.status = answer.status or endpoint.status
    answer.content_type = answer.content_type or endpoint.gives
    return answer


def _encoded(value: Any) -> bytes:
    return value if isinstance(value, bytes) else json_answer(value)


def _failure(error: Exception, request_id: str, call: str, content_type: str) -> Answer:
    """Every failure as an answer; what nobody foresaw is logged whole and told in one sentence."""
    if isinstance(error, Malformed):
        body = msgspec.json.encode(malformed(error.status, str(error)))
        return Answer(body, status=error.status, headers=error.headers, content_type=JSON)
    status = next((code for kind, code in STATUSES.items() if isinstance(error, kind)), 500)
    if isinstance(error, MusterError):
        reason = str(error)
    else:
        log.error("a call failed", call=call, request_id=request_id, exc_info=error)
        reason = f"Something unforeseen went wrong; the service's log has it under request {request_id}"
    return Answer(json_answer(refusal(status, reason)), status=status, content_type=content_type)


async def _send(send: Send, answer: Answer, status: int, asked: dict[str, str]) -> None:
    headers = [(name.encode(), value.encode("latin-1")) for name, value in answer.headers.items()]
    headers.append((b"vary", b"Accept-Encoding"))
    body = answer.body
    if body or answer.stream:
        headers.append((b"content-type", answer.content_type.encode()))
    if len(body) >= COMPRESSED_FROM and "gzip" in asked.get("accept-encoding", ""):
        body = gzip.compress(body, compresslevel=1)
        headers.append((b"content-encoding", b"gzip"))
    if answer.stream is None:
        headers.append((b"content-length", str(len(body)).encode()))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    if answer.stream is not None:
        async for chunk in answer.stream:
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
    await send({"type": "http.response.body", "body": body if answer.stream is None else b""})
