"""What a caller can read: media types and compression, from its headers. `app.py` asks."""

from functools import lru_cache


@lru_cache(maxsize=512)
def accepts(accept: str, content_type: str) -> bool:
    """Whether a caller with this `Accept` header can read a content type; without the header it can read all."""
    wanted = _weighed(accept)
    kind = content_type.partition("/")[0]
    return not wanted or any(wanted.get(each, 0.0) > 0 for each in (content_type, f"{kind}/*", "*/*"))


@lru_cache(maxsize=512)
def reads_gzip(accept_encoding: str) -> bool:
    """Whether a caller with this `Accept-Encoding` header can read gzip."""
    wanted = _weighed(accept_encoding)
    return wanted.get("gzip", wanted.get("*", 0.0)) > 0


def _weighed(header: str) -> dict[str, float]:
    """The names in a header and how much each is wanted."""
    wanted: dict[str, float] = {}
    for part in header.split(","):
        name, *traits = (each.strip().lower() for each in part.split(";"))
        if name:
            wanted[name] = next((_weight(each) for each in traits if each.startswith("q=")), 1.0)
    return wanted


def _weight(trait: str) -> float:
    try:
        return float(trait.removeprefix("q="))
    except ValueError:
        return 1.0
