"""What may happen to a scope. Past tense if it happened, imperative if someone asked.

The engine hands these to `decide`. They carry only what the sender knew.
"""

from typing import Any

from .manifests import ManifestName
from .names import DnsName
from .nmstate.network import ReadNetwork
from .record import Record
from .releases import ReleaseImages


class Trigger(Record):
    """Something that happened, or something asked for."""


class Asked(Trigger):
    """A request of a user or client: it is judged against the settled present, and may be refused."""


class New(Asked, kw_only=True):
    """A request for something new, which belongs to whoever asks."""

    owner: str = "admin"
    org_id: str = ""
    email_domain: str = "Unknown"

    @property
    def ownership(self) -> dict[str, str]:
        """Whose it is, as records say it."""
        return {"user_name": self.owner, "org_id": self.org_id, "email_domain": self.email_domain}


class Ticked(Trigger):
    """Time has passed, or something else changed: look again."""


# Clusters


class RegisterCluster(New):
    """A user describes a new cluster."""

    cluster_id: str
    inputs: Any


class ImportCluster(New):
    """A user tells of a cluster that runs, to add hosts to it."""

    cluster_id: str
    inputs: Any


class RegisterDisconnectedCluster(New):
    """A user describes a cluster that is installed without this service."""

    cluster_id: str
    inputs: Any


class UpdateCluster(Asked):
    """A user changes the description of a cluster."""

    changes: Any
    found: tuple[DnsName, ...] = ()
    """Where the names lead already that the cluster would have."""


class OverrideInstallConfig(Asked):
    """A user lays changes over the install-config of a cluster."""

    overrides: str


class KeepUiSettings(Asked):
    """A user interface wants something kept with a cluster that means nothing here."""

    settings: str


class UpdateTogether(Asked):
    """A user changes the description of a cluster and some of its hosts at once: all of it, or nothing."""

    changes: Any
    hosts: tuple["UpdateHost", ...] = ()
    """What is to change about hosts, in order."""


class DeleteCluster(Asked):
    """A user gives a cluster up."""


class FilesDeleted(Trigger):
    """The last files of a cluster that was given up are gone."""


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


class PreparationReported(Trigger):
    """The files the hosts need are being generated, and this is how far it has come."""

    attempt: int
    words: str
    images: ReleaseImages | None = None
    """What the release says of its images, once it has been read."""


class NamesChosen(Trigger):
    """These names are about to be created in the DNS for the cluster; others that it had are gone."""

    attempt: int
    names: tuple[DnsName, ...]


class NamesWithdrawn(Trigger):
    """These names of the cluster are no longer in the DNS, or lead where others have led them."""

    names: tuple[DnsName, ...]


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


class KubeconfigDelayed(Trigger):
    """The kubeconfig could not be published; it is tried again."""

    reason: str


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


class AddManifest(Asked):
    """A user wants something applied to the new cluster; what is stored already is as the sender saw it."""

    name: ManifestName
    stored: frozenset[ManifestName] = frozenset()


class ChangeManifest(Asked):
    """A user wants a manifest changed, and called `target` from then on."""

    name: ManifestName
    target: ManifestName
    stored: frozenset[ManifestName] = frozenset()


class RemoveManifest(Asked):
    """A user takes a manifest back."""

    name: ManifestName


class ManifestsStored(Trigger):
    """The user's manifests have changed; `custom` says whether there are any."""

    custom: bool


# Infra-envs


class RegisterInfraEnv(New):
    """A user describes a new discovery image."""

    infra_env_id: str
    inputs: Any
    cluster: Any = None
    """The cluster its hosts are to belong to, as the sender saw it."""
    key: str = ""
    """What links to the image are to be signed with."""
    networks: tuple[ReadNetwork, ...] = ()
    """What was read in the network settings of its hosts, in the order of the inputs."""


class UpdateInfraEnv(Asked):
    """A user changes a discovery image."""

    changes: Any
    cluster: Any = None
    """The cluster its hosts belong to, as the sender saw it."""
    networks: tuple[ReadNetwork, ...] = ()
    """What was read in the network settings of its hosts, in the order of the changes."""


class RegenerateSigningKey(Asked):
    """A user wants all links to a discovery image that were handed out to be worthless."""

    key: str


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


class HostIgnitionStored(HostTrigger):
    """The configuration of a host that joins a running cluster is where the host fetches it."""


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
