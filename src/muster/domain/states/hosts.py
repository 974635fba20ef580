"""The states of a host and their groups. The rows between them are in `host_table.py`."""

from .state import State


class HostState(State):
    """Where a host stands."""

    DISCOVERING = "discovering", "Registered or back again; its hardware is not known yet."
    KNOWN = "known", "Everything that can be checked is as it should be; the host can be installed."
    DISCONNECTED = "disconnected", "The agent has not asked for instructions for too long, or lost its boot media."
    INSUFFICIENT = "insufficient", "Something about the host does not meet the requirements."
    PENDING_FOR_INPUT = "pending-for-input", "The host is fine; the user has yet to say something about the cluster."
    DISABLED = "disabled", "Taken out by a user; kept for old records only."
    PREPARING = "preparing-for-installation", "Disk speed and container images are being tried out."
    PREPARED = "preparing-successful", "Tried out and good; waiting for the other hosts."
    PREPARING_FAILED = "preparing-failed", "A container image could not be had, or trying took too long."
    INSTALLING = "installing", "The host is told to install; it has not reported yet."
    IN_PROGRESS = "installing-in-progress", "The host installs and reports its stages."
    PENDING_USER_ACTION = "installing-pending-user-action", "The host started from the wrong device, or not at all."
    INSTALLED = "installed", "The host is a node of the cluster."
    ADDED = "added-to-existing-cluster", "The host has been added to a running cluster."
    ERROR = "error", "The installation of this host has failed."
    CANCELLED = "cancelled", "The user has stopped the installation."
    RESETTING = "resetting", "On the way back to discovery: the agent is to register again."
    RESETTING_PENDING = "resetting-pending-user-action", "The user has to start the discovery image on the host."
    BINDING = "binding", "Given to a cluster; the agent is to register again."
    UNBINDING = "unbinding", "Taken from a cluster; the agent is to register again."
    UNBINDING_PENDING = "unbinding-pending-user-action", "Taken from a cluster after it was installed; to be restarted."
    RECLAIMING = "reclaiming", "An installed host fetches the discovery image to return to the pool."
    RECLAIMING_REBOOTING = "reclaiming-rebooting", "An installed host restarts into the discovery image."
    DISCOVERING_UNBOUND = "discovering-unbound", "In the pool; its hardware is not known yet."
    KNOWN_UNBOUND = "known-unbound", "In the pool and good enough to be given to a cluster."
    INSUFFICIENT_UNBOUND = "insufficient-unbound", "In the pool, but not good enough for any role."
    DISCONNECTED_UNBOUND = "disconnected-unbound", "In the pool, but silent for too long."
    DISABLED_UNBOUND = "disabled-unbound", "In the pool and taken out; kept for old records only."


S = HostState

BEFORE_INSTALL = frozenset({S.DISCOVERING, S.KNOWN, S.DISCONNECTED, S.INSUFFICIENT, S.PENDING_FOR_INPUT})
"""States of a host that is being looked at, before anyone pressed install."""

IN_POOL = frozenset({S.DISCOVERING_UNBOUND, S.KNOWN_UNBOUND, S.INSUFFICIENT_UNBOUND, S.DISCONNECTED_UNBOUND})
"""States of a host without a cluster."""

CHOOSING = BEFORE_INSTALL | IN_POOL
"""States in which disks and roles are still chosen."""

UPDATABLE = BEFORE_INSTALL | IN_POOL | {S.BINDING}
"""States in which a user may still change what is wanted of a host."""

INSTALLING = frozenset({S.INSTALLING, S.IN_PROGRESS})
"""States in which the host writes to its disk."""

IN_PREPARATION = frozenset({S.PREPARING, S.PREPARED, S.PREPARING_FAILED})
"""States in which the host is tried out."""

UNTOUCHED = IN_PREPARATION | {S.DISCOVERING, S.KNOWN, S.PENDING_FOR_INPUT}
"""States of a host that was not told to install: the discovery image on it is as good as newly started."""

FAILED = frozenset({S.ERROR, S.CANCELLED})
"""States of a host whose installation will not go on, and whose logs are wanted."""

GONE = frozenset({S.DISCONNECTED, S.DISCONNECTED_UNBOUND})
"""States that a sign of life ends."""
