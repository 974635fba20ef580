"""Operators that are chosen together. Who belongs to a bundle, the operators themselves say."""

from muster.domain.record import Record

from . import OLM_OPERATORS
from .operator import BundleId


class Bundle(Record):
    """Operators that serve one purpose, some of which may be left out."""

    id: BundleId
    title: str
    description: str

    def operators(self, *, single_node: bool = False) -> tuple[str, ...]:
        """The operators that always come with it, in order of name."""
        return self._members(optional=False, single_node=single_node)

    def optional(self, *, single_node: bool = False) -> tuple[str, ...]:
        """The operators that may come with it, in order of name."""
        return self._members(optional=True, single_node=single_node)

    def _members(self, *, optional: bool, single_node: bool) -> tuple[str, ...]:
        return tuple(
            operator.name
            for operator in OLM_OPERATORS.values()
            for membership in operator.bundles
            if membership.bundle is self.id
            and membership.optional is optional
            and membership.holds(single_node=single_node)
        )


BUNDLES: dict[str, Bundle] = {
    bundle.id.value: bundle
    for bundle in (
        Bundle(
            id=BundleId.VIRTUALIZATION,
            title="Virtualization",
            description="Runs virtual machines beside containers, with what it takes to bring them in from elsewhere,"
            " keep them running, back them up and watch them.",
        ),
        Bundle(
            id=BundleId.OPENSHIFT_AI,
            title="OpenShift AI",
            description="Trains and serves models of artificial intelligence, on graphics cards if there are any.",
        ),
    )
}
"""Every bundle by its id."""
