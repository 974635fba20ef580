"""What each trigger changes at once. What follows from that is `settle`'s to find."""

from muster.domain.draft import Accepts

from . import clusters, controllers, hosts, infra_envs, installations

ACCEPTS: Accepts = {
    **clusters.ACCEPTS,
    **controllers.ACCEPTS,
    **hosts.ACCEPTS,
    **infra_envs.ACCEPTS,
    **installations.ACCEPTS,
}
"""Every trigger there is."""
