"""Secrets to be planted, and the search for them in what is said by a service, packed or not."""

import gzip
import io
import tarfile
import zipfile
from base64 import b64encode
from collections.abc import Iterator, Mapping
from urllib.parse import quote

ZIP, GZIP = b"PK\x03\x04", b"\x1f\x8b"


def found(secrets: Mapping[str, str], said: Mapping[str, bytes]) -> list[tuple[str, str]]:
    """Each secret that is in something that was said, and where, in whichever form."""
    return sorted(
        (name, place)
        for place, content in said.items()
        for name, secret in secrets.items()
        if any(form in piece for piece in opened(content) for form in forms(secret))
    )


def forms(secret: str) -> set[bytes]:
    """What a secret looks like, as it is and as it is usually written down."""
    plain = secret.encode()
    return {plain, b64encode(plain), quote(secret, safe="").encode()}


def opened(content: bytes) -> Iterator[bytes]:
    """What is in something, however often it was packed; itself, if it is no archive."""
    if content.startswith(ZIP):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for name in archive.namelist():
                yield from opened(archive.read(name))
    elif content.startswith(GZIP):
        yield from opened(gzip.decompress(content))
    elif content[257:262] == b"ustar":
        with tarfile.open(fileobj=io.BytesIO(content)) as archive:
            for entry in archive:
                yield entry.name.encode()
                if (file := archive.extractfile(entry)) is not None:
                    yield from opened(file.read())
    else:
        yield content
