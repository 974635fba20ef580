"""Slow work that follows from a decision: written with it, done after it, answered by a trigger."""

from datetime import timedelta

from .names import DnsName
from .record import Record


class Effect(Record, tag=True):
    """Work for after the commit. It is done at least once, so doing it twice must do no harm."""

    wait: timedelta = timedelta()
    """How long it is put off."""


class GenerateFiles(Effect, kw_only=True):
    """Generate what the hosts of a cluster install from; answered by `Prepared`."""

    cluster_id: str
    attempt: int


class PublishKubeconfig(Effect, kw_only=True):
    """Let the kubeconfig trust the ingress; answered by `KubeconfigPublished`."""

    cluster_id: str
    ingress_ca: str
    attempt: int = 0
    """Which attempt to install it is; the kubeconfig of another has nothing to do with this ingress."""


class DeleteFiles(Effect, kw_only=True):
    """Remove the files of a cluster, logs and the user's own manifests excepted unless `everything`.

    Answered by `FilesDeleted` if nothing is left.
    """

    cluster_id: str
    everything: bool = False
    attempt: int = 0
    """The last attempt to install that the files are of; those of a later one stay."""


class GenerateHostIgnition(Effect, kw_only=True):
    """Put the configuration of a host that joins a running cluster into storage; answered by `HostIgnitionStored`."""

    cluster_id: str
    host_id: str


class WithdrawNames(Effect, kw_only=True):
    """Remove the names of a cluster from the DNS, unless a later attempt needs them; answered by `NamesWithdrawn`."""

    cluster_id: str
    attempt: int
    names: tuple[DnsName, ...]


class GiveUpHosts(Effect, kw_only=True):
    """Give up the hosts that have registered in the very moment in which their infra-env was."""

    infra_env_id: str


AnyEffect = GenerateFiles | PublishKubeconfig | DeleteFiles | GenerateHostIgnition | GiveUpHosts | WithdrawNames
"""Every effect there is, for those who read them back."""
