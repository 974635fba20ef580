"""Whom machines trust besides those that everybody trusts, and where they fetch images from instead.

`policy` holds what counts for every machine; an infra-env may have mirrors of its own. `discovery_ignition.py` puts
both into the image, `install_config.py` into the cluster.
"""

import tomllib

from .record import Record


class Mirrors(Record):
    """Registries that stand in for others, as podman's `registries.conf`, and who has signed for them."""

    registries: str = ""
    """The file; "" if there are none."""
    ca: str = ""
    """Certificates in PEM form; "" if everybody trusts them anyway."""

    @property
    def sources(self) -> frozenset[str]:
        """The registries in whose place others are asked. Raises `ValueError` if the file cannot be read."""
        places = [entry.get("location") or entry.get("prefix") or "" for entry in _entries(self.registries)]
        return frozenset(place.partition("/")[0] for place in places if isinstance(place, str)) - {""}

    @property
    def by_source(self) -> dict[str, tuple[str, ...]]:
        """The places that are asked instead of each; what has none is left out, as are names of many (`*.example.org`).

        Raises `ValueError` as above.
        """
        named = ((entry.get("prefix") or entry.get("location"), _mirrors(entry)) for entry in _entries(self.registries))
        return {name: mirrors for name, mirrors in named if isinstance(name, str) and mirrors and "*" not in name}


def has_mirrors(registries: str) -> bool:
    """Whether a `registries.conf` names any. Raises `ValueError` if it cannot be read."""
    return bool(_entries(registries))


def _entries(registries: str) -> list[dict[str, object]]:
    entries = tomllib.loads(registries).get("registry", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise ValueError("registry has to be a list of tables, each beginning with [[registry]]")
    return entries


def _mirrors(entry: dict[str, object]) -> tuple[str, ...]:
    listed = entry.get("mirror")
    named = [each.get("location") for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    return tuple(place for place in named if isinstance(place, str) and place)


class Trust(Record):
    """What every machine gets to trust, and every cluster, from files that are read at the start."""

    service_ca: str = ""
    """Who has signed for the service itself."""
    vendor_ca: str = ""
    """The authority of a company, for all that its machines do."""
    mirrors: Mirrors = Mirrors()
