"""Turns what the installer of the first host was told into the manifests that start the controller in the new cluster.

The installer adds them to the config of the temporary control plane, which applies them with all others. The names of
the objects, and what the controller reads from them, are those that controllers of this kind expect.
"""

import json
from base64 import b64encode
from collections.abc import Iterable
from typing import Any

from muster.domain.record import Record

from .assets import ROOT
from .controller_rights import RULES
from .ignition import PRIVATE, Config, file

NAMESPACE = "assisted-installer"
NAME = "assisted-installer-controller"
SETTINGS = f"{NAME}-config"
SECRET = f"{NAME}-secret"
TOKEN = "pull-secret-token"  # noqa: S105 - the key under which it is kept
TOKEN_FOLDER = f"/etc/{NAME}"
SERVICE_NAME = "assisted-api.local.openshift.io"
"""What the service is called on a network that has no name for it."""

BOOTSTRAP_SECRETS = "/etc/kubernetes/bootstrap-secrets"
"""Where a single node keeps the kubeconfig of its temporary control plane."""

TIRELESS = 100
"""How often the controller is started again."""

Tree = dict[str, Any]


class Controller(Record):
    """What a controller has to know. How it shows who it is is not part of it."""

    cluster_id: str
    service_url: str
    image: str
    openshift_version: str
    control_plane_count: int
    must_gather_image: str = ""
    check_cluster_version: bool = False
    notify_reboots: bool = False
    insecure: bool = False
    """Whether anybody may sign for the service."""
    authorities: str = ""
    """The file on each node with those who have signed for the service; "" if everybody trusts them anyway."""
    service_addresses: tuple[str, ...] = ()
    """Where the service is to be found, if no name server knows."""

    @property
    def alone(self) -> bool:
        """Whether the node is the only one."""
        return self.control_plane_count == 1


def controller_files(controller: Controller, token: str) -> list[Config]:
    """The manifests as files of an Ignition config; the token is how the controller shows who it is."""
    trees = (*_place(), *_rights(), _settings(controller), _secret(token), _job(controller))
    return [
        file(f"{ROOT}/manifests/{NAME}-{tree['kind'].lower()}.yaml", json.dumps(tree, indent=2), PRIVATE)
        for tree in trees
    ]


def _tree(kind: str, api: str = "v1", *, name: str = NAME, within: str = NAMESPACE, **content: Any) -> Tree:
    place = {"namespace": within} if within else {}
    return {"apiVersion": api, "kind": kind, "metadata": {"name": name, **place}, **content}


def _place() -> Iterable[Tree]:
    """A namespace of its own, whose pods may do what the controller has to, and whom nobody keeps from the network."""
    space = _tree("Namespace", name=NAMESPACE, within="")
    space["metadata"]["labels"] = {
        **{f"pod-security.kubernetes.io/{what}": "privileged" for what in ("enforce", "audit", "warn")},
        "security.openshift.io/scc.podSecurityLabelSync": "false",
    }
    spec = {"podSelector": {}, "ingress": [{}], "egress": [{}], "policyTypes": ["Ingress", "Egress"]}
    return space, _tree("NetworkPolicy", "networking.k8s.io/v1", spec=spec)


def _rights() -> Iterable[Tree]:
    api = "rbac.authorization.k8s.io/v1"
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": NAME}
    subject = {"kind": "ServiceAccount", "name": NAME, "namespace": NAMESPACE}
    return (
        _tree("ServiceAccount"),
        _tree("ClusterRole", api, within="", rules=[rule.tree for rule in RULES]),
        _tree("ClusterRoleBinding", api, within="", roleRef=role, subjects=[subject]),
    )


def _settings(controller: Controller) -> Tree:
    told = {
        "cluster-id": controller.cluster_id,
        "inventory-url": controller.service_url,
        "skip-cert-verification": _word(controller.insecure),
        "ca-cert-path": controller.authorities,
        "check-cluster-version": _word(controller.check_cluster_version),
        "control-plane-count": str(controller.control_plane_count),
        "must-gather-image": controller.must_gather_image,
    }
    return _tree("ConfigMap", name=SETTINGS, data=told)


def _secret(token: str) -> Tree:
    return _tree("Secret", name=SECRET, type="Opaque", data={TOKEN: b64encode(token.encode()).decode()})


def _word(holds: bool) -> str:
    return "true" if holds else "false"


FROM_SETTINGS = {
    "CLUSTER_ID": "cluster-id",
    "INVENTORY_URL": "inventory-url",
    "SKIP_CERT_VERIFICATION": "skip-cert-verification",
    "CA_CERT_PATH": "ca-cert-path",
    "CHECK_CLUSTER_VERSION": "check-cluster-version",
    "CONTROL_PLANE_COUNT": "control-plane-count",
    "MUST_GATHER_IMAGE": "must-gather-image",
}
"""What the controller finds in its environment, and where it comes from."""


def _environment(controller: Controller) -> list[Tree]:
    settings = (
        {"name": name, "valueFrom": {"configMapKeyRef": {"name": SETTINGS, "key": key}}}
        for name, key in FROM_SETTINGS.items()
    )
    shown = {"secretKeyRef": {"name": SECRET, "key": TOKEN}}
    return [
        *settings,
        {"name": "PULL_SECRET_TOKEN", "valueFrom": shown},
        {"name": "OPENSHIFT_VERSION", "value": controller.openshift_version},
        {"name": "NOTIFY_NUM_REBOOTS", "value": _word(controller.notify_reboots)},
    ]


class _Mount(Record):
    """Something of a node, or a secret, that the controller sees."""

    name: str
    path: str
    source: Tree
    read_only: bool = True

    @property
    def mount(self) -> Tree:
        return {"name": self.name, "mountPath": self.path, "readOnly": self.read_only}

    @property
    def volume(self) -> Tree:
        return {"name": self.name, **self.source}


def _of_host(name: str, path: str, kind: str, seen_at: str = "") -> _Mount:
    return _Mount(name=name, path=seen_at or path, source={"hostPath": {"path": path, "type": kind}})


def _mounts(controller: Controller) -> Iterable[_Mount]:
    token = {"secret": {"secretName": SECRET, "defaultMode": 0o400, "items": [{"key": TOKEN, "path": "token"}]}}
    yield _Mount(name="token", path=TOKEN_FOLDER, source=token)
    yield _of_host("certificates", "/etc/pki", "DirectoryOrCreate")
    yield _of_host("resolv-conf", "/etc/resolv.conf", "FileOrCreate", f"{TEMPORARY}/host-resolv.conf")
    known = "/var/run/NetworkManager/resolv.conf"
    yield _of_host("network-manager-resolv-conf", known, "FileOrCreate", f"{TEMPORARY}/network-manager-resolv.conf")
    if controller.authorities:
        yield _of_host("service-ca", controller.authorities, "File")
    if controller.alone:
        yield _of_host("bootstrap-secrets", BOOTSTRAP_SECRETS, "DirectoryOrCreate", f"{TEMPORARY}/bootstrap-secrets")


TEMPORARY = "/tmp"  # noqa: S108 - where controllers look for what is lent to them
MASTER = "node-role.kubernetes.io/master"
HURDLES = ("node.kubernetes.io/not-ready", "node.kubernetes.io/network-unavailable")
"""What keeps others from a node that comes up. A node that is alone waits for the controller all the same."""


def _tolerations(controller: Controller) -> list[Tree]:
    keys = (MASTER, *(HURDLES if controller.alone else ()))
    return [{"key": key, "operator": "Exists", "effect": "NoSchedule"} for key in keys]


def _job(controller: Controller) -> Tree:
    """The controller itself: on the control plane, on its hosts' own network, begun again until it has ended well."""
    mounts = tuple(_mounts(controller))
    container: Tree = {
        "name": NAME,
        "image": controller.image,
        "imagePullPolicy": "IfNotPresent",
        "env": _environment(controller),
        "volumeMounts": [each.mount for each in mounts],
        # Files of the host are kept from containers of any other kind.
        "securityContext": {"seLinuxOptions": {"type": "spc_t"}},
    }
    addresses = [{"ip": address, "hostnames": [SERVICE_NAME]} for address in controller.service_addresses]
    pod: Tree = {
        "serviceAccountName": NAME,
        "restartPolicy": "OnFailure",
        "hostNetwork": True,
        "nodeSelector": {MASTER: ""},
        "tolerations": _tolerations(controller),
        "containers": [container],
        "volumes": [each.volume for each in mounts],
        **({"hostAliases": addresses} if addresses else {}),
    }
    spec = {"backoffLimit": TIRELESS, "template": {"metadata": {"labels": {"app": NAME}}, "spec": pod}}
    return _tree("Job", "batch/v1", spec=spec)
