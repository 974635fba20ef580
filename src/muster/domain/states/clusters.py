"""The states of a cluster and their groups. The rows between them are in `cluster_table.py`."""

from .state import State


class ClusterState(State):
    """Where a cluster stands."""

    INSUFFICIENT = "insufficient", "Something about the cluster or its hosts is not as it should be."
    READY = "ready", "The cluster can be installed."
    ERROR = "error", "The installation has failed."
    PREPARING = "preparing-for-installation", "Files are generated and hosts are tried out."
    PENDING_FOR_INPUT = "pending-for-input", "The user has yet to say something."
    INSTALLING = "installing", "The hosts are being installed."
    FINALIZING = "finalizing", "The nodes are there; the cluster is coming up."
    INSTALLED = "installed", "The cluster is there."
    ADDING_HOSTS = "adding-hosts", "The cluster is there and takes in more hosts."
    CANCELLED = "cancelled", "The user has stopped the installation."
    PENDING_USER_ACTION = "installing-pending-user-action", "A host waits for the user."
    UNMONITORED = "unmonitored", "Described for an installation elsewhere; nothing happens here."


S = ClusterState

BEFORE_INSTALL = frozenset({S.INSUFFICIENT, S.READY, S.PENDING_FOR_INPUT})
"""States of a cluster that is still being described."""

UPDATABLE = BEFORE_INSTALL | {S.ADDING_HOSTS}
"""States in which a cluster may be changed and takes in hosts."""

JUDGED = BEFORE_INSTALL | {S.PREPARING}
"""States in which the cluster's checks are done; later their last outcome stays."""

UNDER_WAY = frozenset({S.PREPARING, S.INSTALLING, S.FINALIZING, S.PENDING_USER_ACTION})
"""States of a cluster that is being installed."""

RUNNING = frozenset({S.INSTALLED, S.ADDING_HOSTS})
"""States of a cluster that is there, whether or not anybody looks after it here."""

WITH_FILES = frozenset({
    S.INSTALLING, S.FINALIZING, S.INSTALLED, S.ERROR, S.ADDING_HOSTS, S.CANCELLED, S.PENDING_USER_ACTION,
})  # fmt: skip
"""States in which the generated files may be downloaded."""

WITH_KUBECONFIG = WITH_FILES - {S.INSTALLING}
"""States in which the kubeconfig may be downloaded."""
