"""Rules for Ignition configurations that users lay over ours: of the discovery image, and of a host.

`infra_envs.py` and `host_overrides.py` apply them.
"""

import msgspec

from muster.domain.record import Record

from .fields import Problems

VERSIONS = ("3.1.0", "3.2.0")
"""What can be merged with the configurations made here."""


class _Head(Record):
    version: str = ""


class _Placed(Record):
    path: str


class _Named(Record):
    name: str


class _Unit(_Named):
    dropins: tuple[_Named, ...] | None = None


class _Storage(Record):
    files: tuple[_Placed, ...] | None = None
    directories: tuple[_Placed, ...] | None = None
    links: tuple[_Placed, ...] | None = None


class _Systemd(Record):
    units: tuple[_Unit, ...] | None = None


class _Passwd(Record):
    users: tuple[_Named, ...] | None = None
    groups: tuple[_Named, ...] | None = None


class _Config(Record):
    """What has to be known of a configuration to merge it with another."""

    ignition: _Head = _Head()
    storage: _Storage | None = None
    systemd: _Systemd | None = None
    passwd: _Passwd | None = None


def ignition_problems(field: str, text: str) -> Problems:
    """A text is a configuration that can be merged; nothing is asked of an empty one. It may hold secrets."""
    if not text:
        return
    known = " or ".join(VERSIONS)
    try:
        config = msgspec.json.decode(text, type=_Config)
    except (msgspec.DecodeError, RecursionError) as error:
        yield f"{field}: must be an Ignition configuration of version {known} as JSON text: {error}"
        return
    if config.ignition.version not in VERSIONS:
        yield f"{field}: ignition.version is {config.ignition.version!r}, and must be {known}"
