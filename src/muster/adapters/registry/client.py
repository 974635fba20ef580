"""Images of registries: what they are made of, and the files in them. `adapters/releases` reads releases with it.

Every byte is checked against its digest before anybody sees it. What may pass is tried again, what was cut off goes on
where it was, and where there are mirrors each is asked before the registry itself.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterable
from contextlib import AbstractContextManager
from typing import IO, BinaryIO, TypeVar

from aiohttp import ClientResponse

from muster.domain.errors import Broken, MusterError, Unavailable
from muster.domain.record import Record

from .arrivals import Arrival
from .doors import FINE, Door, Doors
from .layers import Take, look_into
from .manifests import ACCEPTED, Blob, Config, Manifest, check_digest, decoded, digest_of, ours, read_manifest
from .mirrors import Place, places
from .pull_secrets import PullSecret, read_pull_secret
from .references import Reference, reference
from .steady import in_thread
from .web import PIECE, Reaching, Web

AT_ONCE = 4
"""Blobs that are fetched at the same time."""

MOST = 4 * 1024 * 1024
"""Bytes that a manifest or a config may have."""

PARTIAL = 206
BEYOND = 416

T = TypeVar("T")
Tell = Callable[[Blob, int], None]
"""Hears how much has come of a blob."""

Open = Callable[[Blob], AbstractContextManager[BinaryIO]]
"""Opens the file that a blob goes into; what is in it already is gone on with."""


class Image(Record):
    """An image for one kind of machine, as a registry has it."""

    reference: Reference
    """Exactly that image by its digest; if it is for several kinds of machines, all of them."""
    architecture: str
    architectures: tuple[str, ...]
    """All that it is for."""
    layers: tuple[Blob, ...]
    """The lowest first."""
    secret: PullSecret = PullSecret()


class Registry:
    """Asks registries, and mirrors in their place. It is used from one loop until it is closed."""

    def __init__(self, reaching: Reaching | None = None) -> None:
        self.reaching = reaching or Reaching()
        self._web = Web(self.reaching)
        self._doors = Doors(self._web)
        self._turns = asyncio.Semaphore(AT_ONCE)

    async def close(self) -> None:
        """Hang up."""
        await self._web.close()

    async def image(self, name: str, pull_secret: str, architecture: str) -> Image:
        """An image for machines of an architecture; for others if it has none, and it says so."""
        asked, secret = reference(name), read_pull_secret(pull_secret)
        exact, manifest = await self._manifest(asked, secret)
        if manifest.config is not None:
            mine = await self._architecture(exact, manifest.config, secret)
            return Image(
                reference=exact, architecture=mine, architectures=(mine,), layers=manifest.layers, secret=secret
            )
        chosen = manifest.image_for(architecture)
        _, inner = await self._manifest(exact.at(chosen.digest), secret)
        return Image(
            reference=exact,
            architecture=ours(chosen.platform.architecture),
            architectures=manifest.architectures,
            layers=inner.layers,
            secret=secret,
        )

    async def take(
        self, image: Image, wanted: Iterable[str], take: Take, kept: Open, tell: Tell | None = None
    ) -> frozenset[str]:
        """Take files of an image, fetching as few of its layers as that needs; returns those that it has not."""
        missing = set(wanted)

        def taken(path: str, size: int, content: IO[bytes]) -> None:
            take(path, size, content)
            missing.discard(path)

        left = frozenset(missing)
        for layer in reversed(image.layers):
            with kept(layer) as file:
                await self.fetch(image, layer, file, tell)
                left = await in_thread(look_into, file, left, taken)
            if not left:
                break
        return frozenset(missing)

    async def fetch(self, image: Image, blob: Blob, file: BinaryIO, tell: Tell | None = None) -> None:
        """See that all of a blob is in a file, which is then at its beginning."""
        arrival = Arrival(blob, file)
        await in_thread(arrival.take_up)

        async def ask(place: Place) -> None:
            async with self._turns:
                await self._fetched(Door(place, image.secret.login_for(place.image)), arrival, tell)

        await self._somewhere(image.reference, ask, lambda: arrival.come)

    async def _fetched(self, door: Door, arrival: Arrival, tell: Tell | None) -> None:
        if not arrival.whole:
            path = f"/v2/{door.place.image.repository}/blobs/{arrival.blob.digest}"
            headers = {"Range": f"bytes={arrival.come}-"} if arrival.come else {}
            async with self._doors.get(door, path, headers) as response:
                await self._agreed(response, door, arrival)
                # Whatever is there is taken at once: with the connection goes what waits to be taken.
                async for piece in response.content.iter_any():
                    await in_thread(arrival.add, piece)
                    if tell:
                        tell(arrival.blob, arrival.come)
        await in_thread(arrival.check)

    @staticmethod
    async def _agreed(response: ClientResponse, door: Door, arrival: Arrival) -> None:
        """See that what comes now belongs behind what has come."""
        if response.status == FINE:
            await in_thread(arrival.begin)
        elif response.status == PARTIAL:
            begins = re.match(r"bytes (\d+)-", response.headers.get("Content-Range", ""))
            if begins is None or int(begins[1]) != arrival.come:
                await in_thread(arrival.begin)
                raise Unavailable(f"{door.place.image.host} goes on at another place than it was asked to")
        elif response.status == BEYOND:
            await in_thread(arrival.begin)
            raise Unavailable(f"{door.place.image.host} cannot go on where it was cut off; it begins anew")
        else:
            raise door.refused(response.status, f"{arrival.blob.digest} of {door.place.image.name}")
        arrival.open(door.place.image.name)

    async def _manifest(self, image: Reference, secret: PullSecret) -> tuple[Reference, Manifest]:
        """What an image consists of, and its exact name: that of the registry itself, wherever it was had from."""
        body, digest = await self._somewhere(image, lambda place: self._asked(place, secret))
        return image.at(digest), read_manifest(body, str(image))

    async def _asked(self, place: Place, secret: PullSecret) -> tuple[bytes, str]:
        wanted, door = place.image, Door(place, secret.login_for(place.image))
        path = f"/v2/{wanted.repository}/manifests/{wanted.wanted}"
        async with self._doors.get(door, path, {"Accept": ACCEPTED}) as response:
            body = await _all(response, door, str(wanted))
            claimed = wanted.digest or response.headers.get("Docker-Content-Digest", "") or digest_of(body)
        check_digest(claimed, str(wanted))
        if (found := digest_of(body, claimed)) != claimed:
            raise Broken(
                f"what {wanted.host} sends as {wanted} is something else ({found}); push the image there again"
            )
        return body, claimed

    async def _architecture(self, image: Reference, blob: Blob, secret: PullSecret) -> str:
        """What machines an image is for that is for one kind of them only."""

        async def ask(place: Place) -> bytes:
            door = Door(place, secret.login_for(place.image))
            path = f"/v2/{place.image.repository}/blobs/{blob.digest}"
            async with self._doors.get(door, path, {}) as response:
                body = await _all(response, door, f"{blob.digest} of {place.image.name}")
            check_digest(blob.digest, str(image))
            if digest_of(body, blob.digest) != blob.digest:
                raise Broken(
                    f"what {door.place.image.host} has as {blob.digest} is something else; push the image again"
                )
            return body

        config: Config = decoded(await self._somewhere(image, ask), Config, f"what {image} says of itself")
        return ours(config.architecture)

    async def _somewhere(
        self, image: Reference, ask: Callable[[Place], Awaitable[T]], come: Callable[[], int] = lambda: 0
    ) -> T:
        """Ask wherever an image may be had until somebody answers. As long as more comes, nobody is given up."""
        there = places(image, self.reaching.mirrored)
        failures, before = 0, 0
        while True:
            errors: list[MusterError] = []
            for place in there:
                try:
                    return await ask(place)
                except MusterError as error:
                    errors.append(error)
            failures, before = (1 if come() > before else failures + 1), come()
            failure = _together(errors)
            if failures >= self.reaching.tries or not isinstance(failure, Unavailable):
                raise failure
            await asyncio.sleep(self.reaching.wait(failures))


async def _all(response: ClientResponse, door: Door, what: str) -> bytes:
    """The whole of an answer that is not large."""
    if response.status != FINE:
        raise door.refused(response.status, what)
    body = bytearray()
    async for piece in response.content.iter_chunked(PIECE):
        body += piece
        if len(body) > MOST:
            raise Broken(f"{what} has more than {MOST} bytes, which no honest one has")
    return bytes(body)


def _together(errors: list[MusterError]) -> MusterError:
    """What went wrong, if it did so everywhere: it may pass if it may pass anywhere."""
    if len(errors) == 1:
        return errors[0]
    passing = next((error for error in errors if isinstance(error, Unavailable)), None)
    kind = type(passing or errors[-1])
    told = "; ".join(f"({number}) {error}" for number, error in enumerate(errors, start=1))
    return kind(f"none of {len(errors)} places had it: {told}")
