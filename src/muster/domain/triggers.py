"""What may happen to a scope. Past tense if it happened, imperative if someone asked.

The engine hands these to `decide`. They carry only what the sender knew.
"""

from typing import Any

from .record import Record


class Trigger(Record):
    """Something that happened, or something asked for."""


class Asked(Trigger):
    """A request of a user or client: it is judged against the settled present, and may be refused."""


class Ticked(Trigger):
    """Time has passed, or something else changed: look again."""


# Clusters


class RegisterCluster(Asked):
    """A user describes a new cluster."""

    cluster_id: str
    inputs: Any
    owner: str = "admin"


class UpdateCluster(Asked):
    """A user changes the description of a cluster."""

    changes: Any


class DeleteCluster(Asked):
    """A user gives a cluster up."""


class Install(Asked):
    """A user presses install."""


class Cancel(Asked):
    """A user stops the installation."""


class Reset(Asked):
    """A user wants to start over after an installation that did not work out."""


class Prepared(Trigger):
    """The files the hosts need have been generated, or could not be."""

    attempt: int
    openshift_cluster_id: str = ""
    failure: str = ""


class OperatorReported(Asked):
    """The controller says how an operator is doing."""

    name: str
    status: str = ""
    status_info: str = ""
    version: str = ""


class FinalizingStageReported(Asked):
    """The controller has come to the next stage."""

    stage: str


class IngressCaUploaded(Asked):
    """The controller hands over the certificate authority of the ingress."""

    pem: str


class KubeconfigPublished(Trigger):
    """The kubeconfig that trusts the ingress is in storage."""


class CompletionReported(Asked):
    """The controller says it has finished, well or badly."""

    is_success: bool
    error_info: str = ""
    failed_operators: tuple[str, ...] = ()


class AllowAddHosts(Asked):
    """A user wants to add hosts to the cluster that was installed."""


class ClusterLogsReported(Asked):
    """The controller's logs were asked for, are coming, or have come."""

    state: str = ""
    uploaded: bool = False


# Infra-envs


class RegisterInfraEnv(Asked):
    """A user describes a new discovery image."""

    infra_env_id: str
    inputs: Any
    cluster: Any = None
    """The cluster its hosts are to belong to, as the sender saw it."""
    owner: str = "admin"


class UpdateInfraEnv(Asked):
    """A user changes a discovery image."""

    changes: Any
    cluster: Any = None
    """The cluster its hosts belong to, as the sender saw it."""


class DeleteInfraEnv(Asked):
    """A user gives a discovery image up."""


# Hosts


class HostTrigger(Trigger):
    """Something about one host."""

    host_id: str


class Registered(HostTrigger, Asked):
    """An agent has started on a machine."""

    infra_env_id: str
    agent_version: str = ""
    owner: str = "admin"


class CheckedIn(HostTrigger):
    """A host that was gone, or whose clock or agent changed, asked for instructions."""

    clock_skew: int | None = None
    agent_version: str = ""


class Replied(HostTrigger):
    """A host has done a step. `reply` is already decoded for the step's kind, None if there is nothing to read."""

    step: str
    exit_code: int = 0
    reply: Any = None
    error: str = ""


class Progressed(HostTrigger, Asked):
    """A host has come to a stage of its installation, or further within it."""

    stage: str
    info: str = ""


class UpdateHost(HostTrigger, Asked):
    """A user changes what is wanted of a host."""

    changes: Any


class DeleteHost(HostTrigger, Asked):
    """A user gives a host up."""


class BindHost(HostTrigger, Asked):
    """A user gives a host of the pool to a cluster; the cluster is looked at beside."""

    cluster_id: str


class UnbindHost(HostTrigger, Asked):
    """A user takes a host back from its cluster."""


class ReclaimHost(HostTrigger, Asked):
    """A host is taken back and finds its own way into the discovery image, if it is installed."""


class InstallHost(HostTrigger, Asked):
    """A user lets a host join the running cluster."""


class ResetHost(HostTrigger, Asked):
    """A user wants to start over with a host that was to join a running cluster."""


class HostLogsReported(HostTrigger, Asked):
    """A host's logs were asked for, are coming, or have come."""

    state: str = ""
    uploaded: bool = False


class IgnoreValidations(Asked):
    """A user wants to go on in spite of some checks of a cluster and its hosts."""

    changes: Any


class ResetValidation(HostTrigger, Asked):
    """A user wants what a check says of a host to be found out again."""

    validation: str


class ChangeInstallerArgs(HostTrigger, Asked):
    """A user adds arguments to the program that writes a host's disk."""

    changes: Any


class ChangeIgnition(HostTrigger, Asked):
    """A user lays an Ignition configuration over that of a host."""

    changes: Any
