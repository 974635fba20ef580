"""The states of a cluster and every row between them. First match wins; every row says why."""

from .table import State


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
