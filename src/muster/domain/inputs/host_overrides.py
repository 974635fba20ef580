"""What users may add to how a host is installed: arguments of the program that writes its disk, and Ignition.

Turns what was written into a changed host; `accepts/overrides.py` calls it. Neither asks for the state of the
host: what comes too late has no effect.
"""

import re

from msgspec import UNSET, UnsetType

from muster.domain.hosts import Host

from .fields import Input, Problems, given, require_none
from .ignitions import ignition_problems

FLAGS = (
    "--append-karg", "--delete-karg", "-n", "--copy-network", "--network-dir", "--save-partlabel", "--save-partindex",
    "--image-url", "--image-file",
)  # fmt: skip
"""The options that may be used."""

_NOT_IN_VALUES = re.compile(r"""[^A-Za-z0-9@!#$%*()_+,\-./:;<=";':{}\[\]]""")
"""The first character that a value must not have."""


class InstallerArgs(Input):
    """Arguments of the program that writes the disk, as written; leaving them out takes them away."""

    args: tuple[str, ...] | UnsetType = UNSET


class HostIgnition(Input):
    """An Ignition configuration to be laid over the host's own, as written; leaving it out takes it away."""

    config: str | UnsetType = UNSET


def changed_installer_args(host: Host, written: InstallerArgs) -> Host:
    """The host with these arguments in place of those before; itself when nothing differs."""
    args = given(written.args, ())
    require_none(problem for index, argument in enumerate(args) for problem in _problems(f"args[{index}]", argument))
    return host.but(installer_args=args)


def _problems(field: str, argument: str) -> Problems:
    """An argument is an option that may be used, or a value that can be passed on. A value may be a secret."""
    if argument.startswith("-"):
        if argument not in FLAGS:
            option = argument.partition("=")[0]
            yield f"{field}: {option!r} cannot be used; write one of {', '.join(FLAGS)}, and its value as the next one"
    elif not argument:
        yield f"{field}: is empty; leave it out"
    elif wrong := _NOT_IN_VALUES.search(argument):
        yield f"{field}: has the character {wrong[0]!r}, which cannot be passed on to the installer"


def changed_ignition(host: Host, written: HostIgnition) -> Host:
    """The host with this configuration in place of the one before; itself when nothing differs."""
    config = given(written.config, "")
    require_none(ignition_problems("config", config))
    return host.but(ignition_config_overrides=config)
