"""What Ignition asks of a configuration, in its versions 3.1 and 3.2: the shape of its parts, and what is wrong.

A machine whose configuration Ignition refuses does not start, so `ignitions.py` tells all of it when it is written.
Problems are paths with sentences. They quote paths and names, and never a content: it may be secret.
"""

import posixpath
import re
from base64 import b64decode
from collections.abc import Iterable, Iterator
from urllib.parse import urlsplit

from muster.domain.record import Record

Found = Iterator[tuple[str, str]]
"""Where something is wrong, and what."""

UNITS = (
    ".service", ".socket", ".device", ".mount", ".automount", ".swap", ".target", ".path", ".timer", ".snapshot",
    ".slice", ".scope",
)  # fmt: skip
SCHEMES = {"3.1.0": frozenset({"http", "https", "tftp", "s3", "data"})}
SCHEMES["3.2.0"] = SCHEMES["3.1.0"] | {"gs"}
HASHES = {"sha256": 64, "sha512": 128}
HIGHEST_MODE = 0o7777

_CONTROLS = re.compile(r"[\x00-\x1f\x7f]")
_HALF_ESCAPED = re.compile("%(?![0-9A-Fa-f]{2})")
_LETTER = r"[\w!#$&.+^-]"
_KIND = rf"(?:text|image|audio|video|application|message|multipart|[xX]-){_LETTER}*/{_LETTER}*"
_DATA = re.compile(
    rf"data:(?:{_KIND})?(?:;{_LETTER}+={_LETTER}+)*"
    r"(?:;base64,(?P<base64>[A-Za-z0-9+/=]*)|,(?:[\w;/?:@&=+$,.!~*'()-]|%[0-9A-Fa-f]{2})*)",
    re.ASCII,
)


class Header(Record):
    """What is said when something is fetched."""

    name: str = ""
    value: str | None = None


class Verification(Record):
    """By which something that was fetched is known to be right."""

    hash: str | None = None


class Resource(Record, rename="camel"):
    """Something that is fetched, or carried along."""

    source: str | None = None
    compression: str | None = None
    http_headers: tuple[Header, ...] | None = None
    verification: Verification | None = None


class Owner(Record):
    """Whose something is."""

    id: int | None = None
    name: str | None = None


class Placed(Record):
    """Something that is put at a path."""

    path: str
    overwrite: bool | None = None
    user: Owner | None = None
    group: Owner | None = None


class Directory(Placed):
    """A folder."""

    mode: int | None = None


class File(Directory):
    """A file."""

    contents: Resource | None = None
    append: tuple[Resource, ...] | None = None


class Link(Placed):
    """A link."""

    target: str = ""
    hard: bool | None = None


class Storage(Record):
    """What lies where; what is made of disks is left to Ignition."""

    files: tuple[File, ...] | None = None
    directories: tuple[Directory, ...] | None = None
    links: tuple[Link, ...] | None = None


class Dropin(Record):
    """What is said of a unit besides."""

    name: str
    contents: str | None = None


class Unit(Dropin):
    """Something that systemd runs."""

    enabled: bool | None = None
    mask: bool | None = None
    dropins: tuple[Dropin, ...] | None = None


class Systemd(Record):
    """What runs."""

    units: tuple[Unit, ...] | None = None


class Group(Record, rename="camel"):
    """A group of users."""

    name: str
    gid: int | None = None
    password_hash: str | None = None
    system: bool | None = None


class User(Record, rename="camel"):
    """Who may log in."""

    name: str
    uid: int | None = None
    password_hash: str | None = None
    ssh_authorized_keys: tuple[str, ...] | None = None
    groups: tuple[str, ...] | None = None
    home_dir: str | None = None
    shell: str | None = None
    system: bool | None = None


class Passwd(Record):
    """Who there is."""

    users: tuple[User, ...] | None = None
    groups: tuple[Group, ...] | None = None


class Elsewhere(Record):
    """Configurations that are laid over this one, or take its place."""

    merge: tuple[Resource, ...] | None = None
    replace: Resource | None = None


class Proxies(Record, rename="camel"):
    """How the world outside is reached."""

    http_proxy: str | None = None
    https_proxy: str | None = None
    no_proxy: tuple[str, ...] | None = None


class Head(Record):
    """What the configuration says of itself."""

    version: str = ""
    config: Elsewhere | None = None
    proxy: Proxies | None = None


class Config(Record):
    """A configuration, as far as it is looked at."""

    ignition: Head = Head()
    storage: Storage | None = None
    systemd: Systemd | None = None
    passwd: Passwd | None = None


def spec_problems(config: Config) -> Found:
    """Everything that would keep Ignition from taking a configuration of a known version."""
    version = config.ignition.version
    yield from _head(config.ignition)
    yield from _storage(config.storage or Storage(), version)
    yield from _units((config.systemd or Systemd()).units or ())
    yield from _passwd(config.passwd or Passwd())


def _twice(path: str, names: Iterable[str]) -> Found:
    seen: set[str] = set()
    for index, name in enumerate(names):
        if name in seen:
            yield f"{path}[{index}]", "is there twice; leave one of them out"
        seen.add(name)


def _head(head: Head) -> Found:
    elsewhere, proxy = head.config or Elsewhere(), head.proxy or Proxies()
    merged = elsewhere.merge or ()
    for index, resource in enumerate(merged):
        if not resource.source:
            yield f"ignition.config.merge[{index}].source", "is missing; say where the configuration is"
        yield from _resource(f"ignition.config.merge[{index}]", resource, head.version)
    yield from _twice("ignition.config.merge", (each.source or "" for each in merged))
    yield from _resource("ignition.config.replace", elsewhere.replace, head.version)
    for name, url in (("httpProxy", proxy.http_proxy), ("httpsProxy", proxy.https_proxy)):
        if url and _scheme(url) not in {"http", "https"}:
            yield f"ignition.proxy.{name}", "must begin with http:// or https://"
    yield from _twice("ignition.proxy.noProxy", proxy.no_proxy or ())


def _storage(storage: Storage, version: str) -> Found:
    kinds: dict[str, tuple[Placed, ...]] = {
        "files": storage.files or (),
        "directories": storage.directories or (),
        "links": storage.links or (),
    }
    links = {link.path for link in storage.links or ()}
    seen: set[str] = set()
    for kind, entries in kinds.items():
        for index, entry in enumerate(entries):
            path = f"storage.{kind}[{index}]"
            yield from _place(path, entry, links)
            if entry.path in seen:
                yield path, f"is the second thing at {entry.path}; there can be one"
            seen.add(entry.path)
            yield from _owners(path, entry)
            yield from _content(path, entry, version)


def _place(path: str, entry: Placed, links: set[str]) -> Found:
    if not entry.path.startswith("/"):
        yield f"{path}.path", f"is {entry.path!r}; it must begin with /"
    elif entry.path.startswith("//") or posixpath.normpath(entry.path) != entry.path:
        yield f"{path}.path", f"is {entry.path!r}; write it as {posixpath.normpath('/' + entry.path.lstrip('/'))!r}"
    below = next((link for link in sorted(links) if entry.path.startswith(f"{link}/")), None)
    if below:
        yield path, f"is at {entry.path}, below the link {below}; put it where the link leads"


def _owners(path: str, entry: Placed) -> Found:
    for name, owner in (("user", entry.user), ("group", entry.group)):
        if owner is not None and owner.id is not None and owner.name:
            yield f"{path}.{name}", "has both an id and a name; leave one of them out"


def _content(path: str, entry: Placed, version: str) -> Found:
    if isinstance(entry, Directory) and entry.mode is not None and not 0 <= entry.mode <= HIGHEST_MODE:
        yield f"{path}.mode", f"is {entry.mode}, which is no mode; JSON knows no octal numbers, 0644 is written as 420"
    if not isinstance(entry, File):
        return
    if entry.overwrite and (entry.contents is None or entry.contents.source is None):
        yield f"{path}.overwrite", "is true, and there are no contents to write; give them a source"
    yield from _resource(f"{path}.contents", entry.contents, version)
    for index, resource in enumerate(entry.append or ()):
        yield from _resource(f"{path}.append[{index}]", resource, version)


def _resource(path: str, resource: Resource | None, version: str) -> Found:
    if resource is None:
        return
    scheme = _scheme(resource.source or "")
    if resource.source and scheme not in SCHEMES[version]:
        yield f"{path}.source", f"must be a URL that begins with one of {', '.join(sorted(SCHEMES[version]))}"
    elif scheme == "data" and not _is_data(resource.source or ""):
        yield f"{path}.source", "begins with data: and cannot be read; write data:;base64, and the content in base64"
    if resource.compression not in {None, "", "gzip"}:
        yield f"{path}.compression", f"is {resource.compression!r}; it can only be 'gzip'"
    if resource.http_headers:
        yield from _headers(f"{path}.httpHeaders", resource.http_headers, scheme)
    hashed = (resource.verification or Verification()).hash
    kind, dash, digest = (hashed or "").partition("-")
    if hashed is not None and not (dash and HASHES.get(kind) == len(digest)):
        yield f"{path}.verification.hash", "must be sha512- or sha256- and the digits of the sum"


def _headers(path: str, headers: tuple[Header, ...], scheme: str) -> Found:
    if scheme not in {"http", "https"}:
        yield path, "are for what is fetched by HTTP only"
    for index, header in enumerate(headers):
        if not header.name:
            yield f"{path}[{index}].name", "is empty"
    yield from _twice(path, (header.name for header in headers))


def _scheme(url: str) -> str:
    """How a URL begins; "" if it is none."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    scheme, colon, _ = url.partition(":")
    escapes = _HALF_ESCAPED.search(parts._replace(query="").geturl())
    broken = " " in parts.netloc or _CONTROLS.search(url) or escapes
    return scheme.lower() if colon and not broken else ""


def _is_data(url: str) -> bool:
    found = _DATA.fullmatch(url)
    if found is None:
        return False
    try:
        b64decode(found["base64"] or "", validate=True)
    except ValueError:
        return False
    return True


def _units(units: tuple[Unit, ...]) -> Found:
    yield from _twice("systemd.units", (unit.name for unit in units))
    for index, unit in enumerate(units):
        path = f"systemd.units[{index}]"
        if posixpath.splitext(unit.name)[1] not in UNITS:
            yield f"{path}.name", f"is {unit.name!r}; it must end like a unit, such as .service"
        dropins = unit.dropins or ()
        yield from _twice(f"{path}.dropins", (each.name for each in dropins))
        for number, dropin in enumerate(dropins):
            if not dropin.name.endswith(".conf"):
                yield f"{path}.dropins[{number}].name", f"is {dropin.name!r}; it must end in .conf"


def _passwd(passwd: Passwd) -> Found:
    yield from _twice("passwd.users", (user.name for user in passwd.users or ()))
    yield from _twice("passwd.groups", (group.name for group in passwd.groups or ()))
    for index, user in enumerate(passwd.users or ()):
        yield from _twice(f"passwd.users[{index}].sshAuthorizedKeys", user.ssh_authorized_keys or ())
        yield from _twice(f"passwd.users[{index}].groups", user.groups or ())
