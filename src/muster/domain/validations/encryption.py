"""Whether a host can unlock its disk: by its TPM, or by servers that hold the key.

`hardware` asks it for every host of a cluster. A new cluster says itself what is encrypted; a host that joins
a running one finds it in the ignition it is given.
"""

from muster.domain.clusters import Cluster
from muster.domain.inventory import Inventory
from muster.domain.joining import Ignition, read_ignition
from muster.domain.roles import Role
from muster.domain.verdicts import Verdict, failed, passed, pending
from muster.domain.views import HostView

from .facts import API_VIP, INVENTORY, NO_INVENTORY, TANG, asked, cluster_of, told

TPM = "2.0"
GROUPS = {Role.MASTER: "masters", Role.BOOTSTRAP: "masters", Role.ARBITER: "arbiters", Role.WORKER: "workers"}

LOOK = "Wait: the agent tries it every minute. If nothing comes, look at the agent's log."

AGENT_TOO_OLD = "failed to find action for step"
"""How an agent says that it cannot ask the servers; it will not be held against the host."""


def judge_encryption(view: HostView) -> Verdict | None:
    """Whether the host has what it needs to unlock its disk; None if its disk is not encrypted."""
    cluster = cluster_of(view)
    encrypts = cluster.disk_encryption.enable_on not in {"", "none"}
    if not view.day2 and not encrypts:
        return None
    inventory = view.host.inventory
    if inventory is None:
        return NO_INVENTORY
    return _judge_joining(view, inventory, encrypts) if view.day2 else _judge_new(view, inventory, cluster)


def encrypts_role(cluster: Cluster, role: Role) -> bool:
    """Whether the disks of a role are to be encrypted."""
    groups = cluster.disk_encryption.enable_on.split(",")
    return "all" in groups or GROUPS.get(role) in groups


def _judge_new(view: HostView, inventory: Inventory, cluster: Cluster) -> Verdict | None:
    if view.role is Role.AUTO:
        return pending(
            "Waiting for the host's role, which says whether its disk is encrypted",
            asked(view.role, "a role", "Choose a role for the host (host_role), or wait until one is suggested."),
        )
    if not encrypts_role(cluster, view.role):
        return None
    return _judge_tang(view) if cluster.disk_encryption.mode == "tang" else _judge_tpm(view, inventory)


def _judge_joining(view: HostView, inventory: Inventory, encrypts: bool) -> Verdict | None:
    reply = view.host.api_vip
    ignition: Ignition | None = read_ignition(reply.ignition) if reply else None
    if ignition is None:
        waiting = "Waiting for the ignition of the running cluster, which says whether disks are encrypted"
        return pending(waiting, told(view.host, API_VIP, "nothing yet", "an ignition", LOOK)) if encrypts else None
    clevis = ignition.clevis
    if clevis is None:
        return None
    if clevis.tpm2:
        return _judge_tpm(view, inventory)
    if clevis.tang:
        return _judge_tang(view)
    return failed(
        "The running cluster encrypts disks, but neither by TPM 2.0 nor by Tang servers",
        told(view.host, API_VIP, "neither", "TPM 2.0 or Tang", "Look at the machine config of the running cluster."),
    )


def _judge_tpm(view: HostView, inventory: Inventory) -> Verdict:
    version = inventory.tpm_version or "none"
    if version == TPM:
        return passed("The host has a TPM 2.0 to unlock its disk", told(view.host, INVENTORY, version, TPM))
    fix = "Switch the TPM on in the firmware, use another machine, or encrypt by Tang servers (disk_encryption.mode)."
    return failed(
        f"The disk is to be unlocked by a TPM {TPM}; the host has: {version}",
        told(view.host, INVENTORY, version, TPM, fix),
    )


def _judge_tang(view: HostView) -> Verdict | None:
    reply = view.host.tang
    if reply is None:
        waiting = "Waiting for the host to reach the Tang servers that unlock its disk"
        return pending(waiting, told(view.host, TANG, "nothing yet", "an answer of every server", LOOK))
    if AGENT_TOO_OLD in reply.error:
        return None
    if reply.is_success:
        return passed(
            "The host reaches the Tang servers", told(view.host, TANG, "answers", "an answer of every server")
        )
    fix = "Look at the Tang servers, their thumbprints (disk_encryption.tang_servers) and the network between."
    return failed(
        "The host does not get good answers from the Tang servers that unlock its disk",
        told(view.host, TANG, reply.error or "no good answer", "an answer of every server", fix),
    )
