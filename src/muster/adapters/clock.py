"""The real present moment, ids that nobody has and keys that nobody guesses; `runtime/wiring.py` hands them on."""

import os
import secrets
from datetime import UTC, datetime


class SystemClock:
    """The clock of this machine."""

    def now(self) -> datetime:
        """The time now, in UTC."""
        return datetime.now(UTC)


def new_id() -> str:
    """An id that nobody has: a random UUID. Every call gets one, so it is written without the library's detours."""
    digits = os.urandom(16).hex()
    variant = "89ab"[int(digits[16], 16) % 4]
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:]}"


def new_key() -> str:
    """A key to sign with: 32 random bytes, in hexadecimal digits."""
    return secrets.token_hex(32)
