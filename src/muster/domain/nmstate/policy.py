"""Turns the network settings of a host into a policy: nmstate finds the interfaces by their MAC addresses.

The names that users have given to interfaces stand for whatever has those addresses. Read by `nmstatectl service` on
the host; `inputs/static_networks.py` calls it.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from .families import FAMILIES

PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_-]*(?:\.[A-Za-z][A-Za-z0-9_-]*)*")
"""Text that needs no quotes, unless it is one of the words below."""

NO_TEXT = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})
UNSEEN = re.compile("[^\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
AUTOMATIC = {"ipv4": ("dhcp",), "ipv6": ("dhcp", "autoconf")}
"""What is off unless it is asked for: nmstate would leave it as it is."""


def policy_text(values: Mapping[str, Any], macs: Mapping[str, str]) -> str:
    """The policy, as YAML; `macs` has the address of each interface by the name it has in the document."""
    captures = {name: f"iface{number}" for number, name in enumerate(macs)}
    found = "".join(f'  {captures[name]}: interfaces.mac-address == "{mac.upper()}"\n' for name, mac in macs.items())
    named = {name: f"{{{{ capture.{capture}.interfaces.0.name }}}}" for name, capture in captures.items()}
    wanted = _named(_explicit(values), named)
    return f"capture:\n{found}desiredState:\n" + "".join(f"{line}\n" for line in _lines(wanted, "  "))


def _explicit(values: Mapping[str, Any]) -> dict[str, Any]:
    """The document, where nothing that is automatic is left open."""
    interfaces = [dict(each) for each in values["interfaces"]]
    for interface in interfaces:
        for family in FAMILIES:
            if isinstance(interface.get(family.name), dict):
                off = dict.fromkeys(AUTOMATIC[family.name], False)
                interface[family.name] = off | interface[family.name]
    return {**values, "interfaces": interfaces}


def _named(value: Any, named: Mapping[str, str]) -> Any:
    """The value with other names in place of those that are whole values in it."""
    if isinstance(value, dict):
        return {key: _named(each, named) for key, each in value.items()}
    if isinstance(value, list):
        return [_named(each, named) for each in value]
    return named.get(value, value) if isinstance(value, str) else value


def _lines(value: Any, indent: str) -> Iterator[str]:
    """A value as YAML, by the keys in their order."""
    if isinstance(value, dict) and value:
        for key in sorted(value):
            yield from _entry(f"{indent}{_scalar(key)}:", value[key], f"{indent}  ")
    elif isinstance(value, list) and value:
        for each in value:
            head, *rest = _lines(each, f"{indent}  ")
            yield f"{indent}- {head.lstrip()}"
            yield from rest
    else:
        yield f"{indent}{_scalar(value)}"


def _entry(head: str, value: Any, indent: str) -> Iterator[str]:
    if isinstance(value, (dict, list)) and value:
        yield head
        yield from _lines(value, indent)
    else:
        yield f"{head} {_scalar(value)}"


def _scalar(value: Any) -> str:
    if isinstance(value, str) and PLAIN.fullmatch(value) and value.lower() not in NO_TEXT:
        return value
    return UNSEEN.sub(lambda hit: f"\\U{ord(hit[0]):08x}", json.dumps(value, ensure_ascii=False))
