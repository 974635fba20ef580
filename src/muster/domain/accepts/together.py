"""What users ask of a cluster and its hosts in one go."""

from muster.domain.draft import Accepts, Draft
from muster.domain.triggers import UpdateCluster, UpdateTogether

from . import clusters, hosts


def update(draft: Draft, asked: UpdateTogether) -> None:
    """The same cluster with the same hosts, described differently."""
    clusters.update(draft, UpdateCluster(changes=asked.changes))
    for change in asked.hosts:
        hosts.update(draft, change)


ACCEPTS: Accepts = {UpdateTogether: update}
