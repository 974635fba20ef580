"""The real present moment, ids that nobody has and keys that nobody guesses; `runtime/wiring.py` hands them on."""

import secrets
from datetime import UTC, datetime
from uuid import uuid4


class SystemClock:
    """The clock of this machine."""

    def now(self) -> datetime:
        """The time now, in UTC."""
        return datetime.now(UTC)


def new_id() -> str:
    """An id that nobody has."""
    return str(uuid4())


def new_key() -> str:
    """A key to sign with: 32 random bytes, in hexadecimal digits."""
    return secrets.token_hex(32)
