"""Slow work that follows from a decision: written with it, done after it, answered by a trigger."""

from datetime import timedelta

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


class DeleteFiles(Effect, kw_only=True):
    """Remove the files of a cluster, logs and the user's own manifests excepted unless `everything`.

    Answered by `FilesDeleted` if nothing is left.
    """

    cluster_id: str
    everything: bool = False


class GenerateHostIgnition(Effect, kw_only=True):
    """Put the configuration of a host that joins a running cluster into storage; answered by `HostIgnitionStored`."""

    cluster_id: str
    host_id: str


class GiveUpHosts(Effect, kw_only=True):
    """Give up the hosts that have registered in the very moment in which their infra-env was."""

    infra_env_id: str


AnyEffect = GenerateFiles | PublishKubeconfig | DeleteFiles | GenerateHostIgnition | GiveUpHosts
"""Every effect there is, for those who read them back."""
