"""What users ask of the manifests of a cluster. Their content was read at the door and lies in storage."""

from muster.domain.clusters import Cluster
from muster.domain.draft import Accepts, Draft
from muster.domain.errors import Invalid
from muster.domain.inputs.manifests import require_name, require_no_namesake
from muster.domain.states.clusters import BEFORE_INSTALL
from muster.domain.triggers import AddManifest, ChangeManifest, ManifestsStored, RemoveManifest


def add(draft: Draft, asked: AddManifest) -> None:
    """One more, or another in place of one of the same name; in any state, though it comes too late in some."""
    draft.cluster  # noqa: B018 - raises where there is no cluster
    require_name(asked.name.file_name)
    require_no_namesake(asked.name, asked.stored)


def change(draft: Draft, asked: ChangeManifest) -> None:
    """The same with another name or content."""
    _require_time(draft.cluster)
    require_name(asked.name.file_name)
    require_name(asked.target.file_name)
    require_no_namesake(asked.target, asked.stored - {asked.name})


def remove(draft: Draft, asked: RemoveManifest) -> None:
    """One less, if it was there."""
    _require_time(draft.cluster)
    require_name(asked.name.file_name)


def _require_time(cluster: Cluster) -> None:
    """The installation has not begun, or the manifests would no longer be those it was begun with."""
    if cluster.status not in BEFORE_INSTALL:
        raise Invalid(
            f"Cluster {cluster.name} is {cluster.status}; its manifests can be changed only before it is installed"
        )


def stored(draft: Draft, happened: ManifestsStored) -> None:
    """What the user has added counts from now on, or no longer."""
    draft.put(draft.cluster.but(custom_manifests=happened.custom))


ACCEPTS: Accepts = {AddManifest: add, ChangeManifest: change, RemoveManifest: remove, ManifestsStored: stored}
