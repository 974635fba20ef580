"""Short links to discovery images, for firmware that takes no long ones: `/i/<code>.iso`.

The code says which image it is and until when it may be had, signed with the key of the infra-env; nothing is stored,
and a new key makes all codes before it worthless. The same image has the same link for a while.
"""

import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import UTC, datetime, timedelta
from struct import Struct
from uuid import UUID

from muster.domain.errors import NotFound
from muster.domain.infra_envs import ImageType, InfraEnv
from muster.domain.record import Record

KINDS = (ImageType.FULL, ImageType.MINIMAL, ImageType.DISCONNECTED)
"""The kinds of images, by the number that stands for each in a code."""

SIGNATURE = 9
"""Bytes of the signature that are written: as many as make guessing hopeless, and no more."""

STEPS = 4
"""A link that lasts four hours ends on a full hour, so that it is the same one for an hour."""

_SAID = Struct(">16sBI")
LENGTH = _SAID.size + SIGNATURE


class ShortLink(Record):
    """Which image a code stands for, and until when."""

    infra_env_id: str
    kind: ImageType
    expires_at: datetime | None = None
    """None if it does not end."""


def expiry(now: datetime, lasts: timedelta) -> datetime | None:
    """When a link ends that is made now, to last at least so long; None for links that do not end."""
    if not lasts:
        return None
    step = max(int(lasts.total_seconds()) // STEPS, 1)
    end = int((now + lasts).timestamp())
    return datetime.fromtimestamp(end - end % -step, UTC)


def code_of(infra_env: InfraEnv, expires_at: datetime | None) -> str:
    """What stands for the image of an infra-env, until a moment."""
    ends = 0 if expires_at is None else int(expires_at.timestamp())
    said = _SAID.pack(UUID(infra_env.id).bytes, KINDS.index(infra_env.type), ends)
    return urlsafe_b64encode(said + _signature(said, infra_env)).decode()


def read_code(code: str) -> ShortLink:
    """What a code stands for, if it is genuine, which is for `is_genuine` to say. `NotFound` if it is none."""
    try:
        raw = urlsafe_b64decode(code)
        said = _SAID.unpack(raw[: _SAID.size]) if len(raw) == LENGTH else None
    except ValueError:
        said = None
    if said is None or said[1] >= len(KINDS):
        raise NotFound("There is no image of this name; the link may have been cut short")
    ends = datetime.fromtimestamp(said[2], UTC) if said[2] else None
    return ShortLink(infra_env_id=str(UUID(bytes=said[0])), kind=KINDS[said[1]], expires_at=ends)


def is_genuine(code: str, infra_env: InfraEnv) -> bool:
    """Whether a code was signed with the key that the infra-env has now."""
    raw = urlsafe_b64decode(code)
    return hmac.compare_digest(raw[_SAID.size :], _signature(raw[: _SAID.size], infra_env))


def _signature(said: bytes, infra_env: InfraEnv) -> bytes:
    return hmac.digest(infra_env.image_token_key.encode(), b"image" + said, "sha256")[:SIGNATURE]
