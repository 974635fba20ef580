"""A pull secret turned into the login for each registry. The client asks it for every place it goes to.

No sentence and no `repr` here has anything of the secret in it but the names of registries.
"""

from base64 import b64encode

import msgspec

from muster.domain.errors import Invalid
from muster.domain.inputs.credentials import unbase64
from muster.domain.record import SECRET, Record

from .references import DOCKER, Reference

_ENDS = ("/", "/v1", "/v2")
"""What stands behind a registry where its address was written for its name."""


class Login(Record):
    """Who we are for a registry."""

    user: str
    password: str

    @property
    def basic(self) -> str:
        """How it is said to whoever asks for user and password."""
        return b64encode(f"{self.user}:{self.password}".encode()).decode()

    def __repr__(self) -> str:
        # Whoever shows an object does not ask what in it is secret.
        return f"Login({SECRET})"


class PullSecret(Record):
    """Logins by registry, or by a path below one."""

    logins: dict[str, Login] = {}

    def __repr__(self) -> str:
        return f"PullSecret({SECRET})"

    def login_for(self, image: Reference) -> Login | None:
        """The login that is meant for an image most closely; None if there is none."""
        path = image.name
        while path:
            if path in self.logins:
                return self.logins[path]
            path = path.rpartition("/")[0]
        return None

    def hidden_in(self, text: str) -> str:
        """A text of somebody else's without anything of the secret."""
        for login in self.logins.values():
            for secret in filter(None, (login.password, login.basic)):
                text = text.replace(secret, SECRET)
        return text


class _Entry(Record):
    auth: str | None = None
    username: str | None = None
    password: str | None = None


class _Config(Record):
    auths: dict[str, _Entry | None] = {}


def read_pull_secret(text: str) -> PullSecret:
    """What a pull secret says; an empty one lets us in only where everybody is."""
    try:
        config = msgspec.json.decode(text, type=_Config) if text.strip() else _Config()
    except msgspec.DecodeError as error:
        # What stands in the secret may stand in the words of the library too, so they are left out.
        raise Invalid(
            "pull_secret: must be a JSON object with 'auths'; download it again from the registry's console and paste"
            " all of it"
        ) from error
    found = {_registry(name): _login(name, entry) for name, entry in config.auths.items() if entry is not None}
    return PullSecret(logins={name: login for name, login in found.items() if login is not None})


def _login(name: str, entry: _Entry) -> Login | None:
    if not entry.auth:
        return Login(user=entry.username, password=entry.password) if entry.username and entry.password else None
    plain = unbase64(entry.auth.strip())
    user, colon, password = (plain or b"").partition(b":")
    if not colon:
        raise Invalid(f"pull_secret: the 'auth' of {name!r} is not the base64 form of user:password")
    return Login(user=user.decode(errors="replace"), password=password.rstrip(b"\0").decode(errors="replace"))


def _registry(name: str) -> str:
    """What an entry stands for: some are written as addresses, and one has a name of its own."""
    place = name.removeprefix("https://").removeprefix("http://")
    for end in _ENDS:
        place = place.removesuffix(end)
    return place.replace("index.docker.io", DOCKER, 1) if place.startswith("index.docker.io") else place
