"""What each trigger changes at once. What follows from that is `settle`'s to find."""

from muster.domain.draft import Accepts

from . import (
    additions,
    binding,
    clusters,
    controllers,
    hosts,
    infra_envs,
    installations,
    manifests,
    names,
    overrides,
    together,
    validations,
)

ACCEPTS: Accepts = {
    **additions.ACCEPTS,
    **binding.ACCEPTS,
    **clusters.ACCEPTS,
    **controllers.ACCEPTS,
    **hosts.ACCEPTS,
    **infra_envs.ACCEPTS,
    **installations.ACCEPTS,
    **manifests.ACCEPTS,
    **names.ACCEPTS,
    **overrides.ACCEPTS,
    **together.ACCEPTS,
    **validations.ACCEPTS,
}
"""Every trigger there is."""
