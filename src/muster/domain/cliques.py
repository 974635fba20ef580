"""The largest group of nodes that are all joined to each other. `connectivity` asks for it.

Graphs are lists of bit sets: bit j of `neighbours[i]` says that nodes i and j are joined. Nearly all graphs
met here are nearly full, and are solved at once by taking in every node that is joined to all that remain.
"""

from collections.abc import Iterator, Sequence

PATIENCE = 200_000
"""How many nodes may be looked at. Only hundreds of hosts with links broken in no pattern use this up."""


def largest_clique(neighbours: Sequence[int], patience: int = PATIENCE) -> tuple[int, ...]:
    """The largest set of nodes that are all joined to each other; of several, the first in order of its nodes.

    When patience runs out it is the largest found so far.
    """
    search = _Search(neighbours, patience)
    search.grow(0, (1 << len(neighbours)) - 1)
    return tuple(bit.bit_length() - 1 for bit in _bits(search.best))


def _bits(nodes: int) -> Iterator[int]:
    """The nodes of a set, each as a set of its own, in order."""
    while nodes:
        bit = nodes & -nodes
        yield bit
        nodes ^= bit


class _Search:
    """A search through sets of nodes in their order, leaving out what cannot beat the best found so far."""

    def __init__(self, neighbours: Sequence[int], patience: int) -> None:
        self.joined = {1 << index: others for index, others in enumerate(neighbours)}
        self.patience = patience
        self.best = 0

    def grow(self, clique: int, candidates: int) -> None:
        """Find the largest clique that has all of `clique` and otherwise only `candidates`, all joined to it."""
        rest = 0
        for bit in _bits(candidates):
            if candidates & ~self.joined[bit] == bit:
                clique |= bit
            else:
                rest |= bit
        if not rest and clique.bit_count() > self.best.bit_count():
            self.best = clique
        for bit in _bits(rest):
            if clique.bit_count() + self._at_most(rest) <= self.best.bit_count():
                return
            self.grow(clique | bit, rest & self.joined[bit])
            rest ^= bit

    def _at_most(self, nodes: int) -> int:
        """No clique among these nodes is larger: they fall into so many sets without any join."""
        self.patience -= nodes.bit_count()
        if self.patience < 0:
            return 0
        sets = 0
        while nodes:
            sets += 1
            free = nodes
            while free:
                bit = free & -free
                nodes ^= bit
                free &= ~(self.joined[bit] | bit)
        return sets
