"""The ASGI application: finds the function for a call, decodes for it, encodes what it answers.

Built from the rows of `wire/endpoints`. `server.py` calls it; nothing else does.
"""

import asyncio
from collections.abc import Callable
from time import perf_counter
from typing import Any

import msgspec
import structlog
from structlog.typing import FilteringBoundLogger

from muster.api import (
    base_images,
    clusters,
    domains,
    events,
    features,
    files,
    hosts,
    images,
    infra_envs,
    logs,
    manifests,
    muster,
    operators,
    overrides,
    recordings,
    service,
    timeline,
    v1,
    versions,
)
from muster.api.auth import Gate, gate_of
from muster.api.auth.gate import Approach
from muster.api.call import Answer, Call, Served, json_answer
from muster.api.cors import Cors
from muster.api.decoding import decode
from muster.api.errors import STATUSES, Malformed
from muster.api.loss import told
from muster.api.memories import Memories
from muster.api.metrics import Answered, under_way
from muster.api.protocol import ZERO_COPY
from muster.api.routes import Routes
from muster.api.sending import Line, Receive, Send, is_my_turn, send_file, send_stream, send_whole
from muster.domain.base_images import Coming
from muster.domain.errors import MusterError, NotFound, Refused, Unavailable
from muster.runtime.wiring import Service
from muster.wire.endpoints.endpoint import JSON, Endpoint
from muster.wire.endpoints.hosts import POST_STEP_REPLY
from muster.wire.errors import malformed, refusal

Scope = dict[str, Any]

FACES = (
    base_images, clusters, events, domains, features, files, hosts, images, infra_envs, logs, manifests, muster,
    operators, overrides, recordings, timeline, v1, versions,
)  # fmt: skip

SERVED: tuple[Served, ...] = tuple(each for face in FACES for each in vars(face).values() if isinstance(each, Served))

LONGEST_ID = 128
"""Characters of a request id that a caller may give; longer ones are replaced."""

SERVER_FAULT = 500

LATER = 10
"""Seconds after which to ask again for what is not to be had just now, if nobody knows better."""

READS = frozenset({"GET", "HEAD"})


class App:
    """One service behind HTTP."""

    def __init__(self, running: Service, gate: Callable[[Service, Memories], Gate] = gate_of) -> None:
        self._service = running
        self._memories = Memories(running.store, running.policy)
        running.bus.subscribe(self._memories.hear)
        self._gate = gate(running, self._memories)
        self._cors = Cors(running.settings.allowed_origins)
        self._routes = Routes(SERVED)
        self._ending = asyncio.Event()
        self._streams = asyncio.Semaphore(running.settings.streams)
        # Bound once: looking up how to log costs more than most calls have to say.
        self._log: FilteringBoundLogger = structlog.get_logger().bind()

    def close(self) -> None:
        """End the streams: they would go on for ever, and the server waits for them before it ends."""
        self._ending.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one call."""
        if scope["type"] == "lifespan":
            await _live(receive, send)
            return
        started = perf_counter()
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        headers["x-request-id"] = self._request_id(headers.get("x-request-id", ""))
        structlog.contextvars.bind_contextvars(request_id=headers["x-request-id"])
        name, answer = await self._answer(scope, receive, headers)
        seconds = perf_counter() - started
        answered = Answered(name, scope["method"], answer.status, seconds)
        self._tell(scope, name, answer.status, seconds)
        self._cors.add(answer, headers)
        if answer.file is not None:
            with answered.sent(answer.file.length):
                await self._send_file(scope, answer, receive, send)
        elif answer.stream is None:
            answered.whole(answer.body)
            await send_whole(send, answer, headers.get("accept-encoding", ""))
        else:
            answer.stream = answered.streamed(answer.stream)
            await send_stream(send, answer, receive, self._ending, headers.get("accept-encoding", ""))

    async def _send_file(self, scope: Scope, answer: Answer, receive: Receive, send: Send) -> None:
        """Send a part of an image, once it is this caller's turn; whoever does not wait for it is let go."""
        line = Line(receive, scope["method"] == "HEAD", ZERO_COPY in scope.get("extensions", {}))
        if line.head_only or await is_my_turn(self._streams, receive):
            try:
                await send_file(send, answer, line)
            finally:
                if not line.head_only:
                    self._streams.release()

    def _request_id(self, given: str) -> str:
        """The id that the caller gave, if it is fit to be written down; else one of our own."""
        fit = given and len(given) <= LONGEST_ID and given.isascii() and given.isprintable()
        return given if fit else self._service.new_id()

    async def _answer(self, scope: Scope, receive: Receive, headers: dict[str, str]) -> tuple[str, Answer]:
        """The name of what was called, and the answer; a failure is one too."""
        method, path = scope["method"], scope["path"]
        name, content_type = "unknown", JSON
        served: Served | None = None
        try:
            if path in service.PLAIN:
                return path, await service.plain(self._service, method, path)
            if self._cors.is_preflight(method, headers):
                return "preflight", self._cors.preflight(headers)
            served, parameters = self._routes.find(method, path)
            name, content_type = served.endpoint.name, served.endpoint.fails_in
            call = Call(self._service, self._memories, parameters, headers, self._gate)
            approach = Approach(headers=headers, query=scope["query_string"], parameters=parameters)
            with under_way(name, method):
                call.principal = await self._gate.admitted(served.endpoint, approach)
                await decode(call, served.endpoint, scope["query_string"], receive)
                return name, _complete(await self._served(served, call), served.endpoint)
        except Exception as error:  # noqa: BLE001 - the one place where every failure becomes an answer
            failure = error if served is None else await told(error, served.endpoint, headers, self._service.store)
            return name, self._failure(failure, headers["x-request-id"], f"{method} {path}", content_type)

    async def _served(self, served: Served, call: Call) -> Any:
        """What the function answers. Nobody is turned away for what was true a moment ago: it is looked once more."""
        try:
            return await served.serve(call)
        except (NotFound, Refused) as error:
            decided = isinstance(error, Refused) and served.endpoint.method not in READS
            if decided or call.chunks is not None:
                raise
            self._memories.look_again(self._service.engine, call.parameters)
            return await served.serve(call)

    def _failure(self, error: Exception, request_id: str, call: str, content_type: str) -> Answer:
        """Every failure as an answer; what nobody foresaw is logged whole and told in one sentence."""
        if isinstance(error, Malformed):
            body = msgspec.json.encode(malformed(error.status, str(error)))
            return Answer(body, status=error.status, headers=error.headers, content_type=JSON)
        status = next((code for kind, code in STATUSES.items() if isinstance(error, kind)), SERVER_FAULT)
        if isinstance(error, MusterError):
            reason = str(error)
        else:
            self._log.error("a call failed", call=call, exc_info=error)
            reason = f"Something unforeseen went wrong; the service's log has it under request {request_id}"
        body = json_answer(refusal(status, reason))
        return Answer(
            body if content_type == JSON else body.rstrip(),
            status=status,
            headers={"retry-after": _later(error)} if isinstance(error, Unavailable) else None,
            content_type=content_type,
        )

    def _tell(self, scope: Scope, name: str, status: int, seconds: float) -> None:
        """Log a call: what failed on our side, what was asked to change, and, only if wanted, all the rest."""
        method = scope["method"]
        if status >= SERVER_FAULT:
            say = self._log.warning
        elif method in READS or name == POST_STEP_REPLY.name:
            say = self._log.debug
        else:
            say = self._log.info
        say(
            "called",
            operation=name,
            method=method,
            path=scope["path"],
            status=status,
            milliseconds=round(1000 * seconds),
        )


def _later(error: Unavailable) -> str:
    """In how many seconds to ask again."""
    return str(error.seconds if isinstance(error, Coming) else LATER)


async def _live(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return


def _complete(value: Any, endpoint: Endpoint) -> Answer:
    answer = value if isinstance(value, Answer) else Answer(b"" if value is None else _encoded(value))
    answer.status = answer.status or endpoint.status
    answer.content_type = answer.content_type or endpoint.gives
    return answer


def _encoded(value: Any) -> bytes:
    return value if isinstance(value, bytes) else json_answer(value)
