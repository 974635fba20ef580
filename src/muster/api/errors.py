"""Which status an error has. The one table between the core's words and HTTP."""

from muster.domain.errors import (
    BadName,
    Broken,
    Conflict,
    Forbidden,
    Invalid,
    MusterError,
    NotFound,
    Refused,
    Unauthenticated,
    Unavailable,
)

STATUSES: dict[type[MusterError], int] = {
    BadName: 422,
    Invalid: 400,
    Unauthenticated: 401,
    Forbidden: 403,
    NotFound: 404,
    Refused: 409,
    Conflict: 409,
    Broken: 500,
    Unavailable: 503,
}


class Malformed(Exception):
    """The call itself is not understood, so no operation was tried."""

    def __init__(self, status: int, message: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.headers = headers or {}
