"""A file with logins, as Amazon's tools know it, turned into one login. `route53.py` reads it before each change.

It is read anew each time, because whoever renews logins writes that file.
"""

from configparser import ConfigParser, Error
from pathlib import Path

from muster.domain.errors import Broken
from muster.domain.record import Record


class Login(Record):
    """Who calls, and the secret that proves it."""

    key_id: str
    key: str
    token: str = ""
    """What goes with keys that last for a while only."""

    def __repr__(self) -> str:
        return f"Login({self.key_id})"


class SharedLogins(Record):
    """Where logins are found: in a part of a file if one is named, else as they were given."""

    file: str = ""
    part: str = "default"
    given: Login | None = None

    def login(self) -> Login:
        """The login as it is now; `Broken` if there is none."""
        if not self.file:
            if self.given is None:
                raise Broken(
                    "There is no login to change names in the DNS; set AWS_SHARED_CREDENTIALS_FILE to a file that has"
                    " one"
                )
            return self.given
        written = _part(self.file, self.part)
        login = Login(
            key_id=written.get("aws_access_key_id", ""),
            key=written.get("aws_secret_access_key", ""),
            token=written.get("aws_session_token", ""),
        )
        if not (login.key_id and login.key):
            raise Broken(
                f"{self.file} has no aws_access_key_id and aws_secret_access_key under [{self.part}], which are needed"
                " to change names in the DNS; AWS_PROFILE says under which name they are"
            )
        return login


def _part(path: str, part: str) -> dict[str, str]:
    # What a line says is not interpreted, and not repeated where it cannot be read: it may be the secret.
    parser = ConfigParser(interpolation=None)
    try:
        parser.read_string(Path(path).read_text())
    except OSError as error:
        raise Broken(
            f"The login to change names in the DNS cannot be read from {path}: {error.strerror}; see"
            " AWS_SHARED_CREDENTIALS_FILE"
        ) from error
    except (Error, UnicodeDecodeError):
        raise Broken(f"{path} is no file with logins as AWS_SHARED_CREDENTIALS_FILE means it") from None
    return dict(parser[part]) if part in parser else {}
