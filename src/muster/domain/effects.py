"""Slow work that follows from a decision: written with it, done after it, answered by a trigger."""

from .record import Record


class Effect(Record, tag=True):
    """Work for after the commit. It is done at least once, so doing it twice must do no harm."""


class GenerateFiles(Effect):
    """Generate what the hosts of a cluster install from; answered by `Prepared`."""

    cluster_id: str
    attempt: int


class PublishKubeconfig(Effect):
    """Let the kubeconfig trust the ingress; answered by `KubeconfigPublished`."""

    cluster_id: str
    ingress_ca: str


class DeleteFiles(Effect):
    """Remove the files of a cluster, logs and the user's own manifests excepted unless `everything`."""

    cluster_id: str
    everything: bool = False


AnyEffect = GenerateFiles | PublishKubeconfig | DeleteFiles
"""Every effect there is, for those who read them back."""
