"""The twin of a provider of domains: names in memory."""

from collections.abc import Sequence

from muster.domain.names import DnsName


class MemoryNames:
    """Names, by zone, name and kind."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str, str], DnsName] = {}

    async def found(self, names: Sequence[DnsName]) -> tuple[DnsName, ...]:
        """Where each of these names leads now."""
        return tuple(self._kept[each.place] for each in names if each.place in self._kept)

    async def publish(self, names: Sequence[DnsName]) -> None:
        """Let each of these names lead where it says."""
        self._kept |= {each.place: each for each in names}

    async def withdraw(self, names: Sequence[DnsName]) -> None:
        """Remove these names, as far as they still lead where they say."""
        for each in names:
            if self._kept.get(each.place) == each:
                del self._kept[each.place]
