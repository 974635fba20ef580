"""An image at the other end of a network, of which only what is asked for is fetched. `muster image show` reads one."""

import re
from http.client import HTTPException
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from muster.domain.errors import Broken, Invalid, NotFound, Unavailable

PIECE = 128 * 1024
PATIENCE = 30
"""Seconds for one answer."""

PARTIAL = 206
ABSENT = frozenset({404, 410})
WRONG = 500
"""Answers from here on are the server's own trouble, and may be others later."""


class RemoteSource:
    """A file that a web server has. It is fetched in pieces, each once."""

    def __init__(self, url: str) -> None:
        if urlsplit(url).scheme not in {"http", "https"}:
            raise Invalid(f"{shown(url)} cannot be read: only URLs with http or https, and files, can")
        self.url, self.size = url, 0
        self._mark = ""
        self._pieces: dict[int, bytes] = {}
        self._pieces[0] = self._fetched(0, PIECE)

    def read(self, offset: int, length: int) -> bytes:
        """So many bytes from a place on; `Broken` if they are not all there."""
        if offset + length > self.size:
            raise Broken(f"{shown(self.url)} ends after {self.size} bytes, within the {length} from {offset} on")
        if length > PIECE:
            return self._fetched(offset, offset + length)
        first, last = offset // PIECE, (offset + max(length, 1) - 1) // PIECE
        content = b"".join(self._piece(number) for number in range(first, last + 1))
        return content[offset - first * PIECE :][:length]

    def close(self) -> None:
        """Nothing is open between two reads."""

    def _piece(self, number: int) -> bytes:
        if number not in self._pieces:
            self._pieces[number] = self._fetched(number * PIECE, min((number + 1) * PIECE, self.size))
        return self._pieces[number]

    def _fetched(self, start: int, stop: int) -> bytes:
        asked = Request(self.url, headers={"Range": f"bytes={start}-{stop - 1}"})  # noqa: S310 - the scheme is checked
        try:
            with urlopen(asked, timeout=PATIENCE) as answer:  # noqa: S310 - the same
                told = re.fullmatch(r"bytes (\d+)-(\d+)/(\d+)", answer.headers.get("Content-Range", ""))
                if answer.status != PARTIAL or told is None:
                    raise Broken(f"{shown(self.url)} cannot be read in parts; download it and look at the file")
                self._check(int(told[3]), answer.headers.get("ETag", "") or answer.headers.get("Last-Modified", ""))
                content: bytes = answer.read()
        except HTTPError as error:
            raise _refusal(self.url, error) from error
        except (URLError, HTTPException, OSError) as error:
            raise Unavailable(f"{shown(self.url)} cannot be read: {getattr(error, 'reason', error)}") from error
        if len(content) != min(stop, self.size) - start:
            raise Unavailable(f"{shown(self.url)} was cut off after {len(content)} of {stop - start} bytes; try again")
        return content

    def _check(self, size: int, mark: str) -> None:
        if self.size and (size, mark) != (self.size, self._mark):
            raise Unavailable(f"{shown(self.url)} has changed while it was read; try again")
        self.size, self._mark = size, mark


def shown(url: str) -> str:
    """A URL without what may be secret in it."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def _refusal(url: str, error: HTTPError) -> Exception:
    error.close()
    said = f"{shown(url)} answers {error.code} {error.reason}"
    if error.code in ABSENT:
        return NotFound(f"{said}: there is no such file")
    return Unavailable(f"{said}; try again later") if error.code >= WRONG else Broken(f"{said}: it may not be read")
