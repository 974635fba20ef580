"""Turns an order, its certificates and its ids into the config of the host that starts the cluster.

Called by the lab's release. The host's live system becomes a control plane for as long as the
others take to form one: it gets certificates, manifests, the pull secret and a few services.
"""

import json
from collections.abc import Iterable, Mapping

from muster.domain.artifacts.assets import ROOT
from muster.domain.clusters import Cluster
from muster.domain.record import Record

from . import ignition
from .certificates import Certificates
from .custom_manifests import Content
from .ignition import EXECUTABLE, PRIVATE, READABLE, Config
from .kubeconfig import API_PORT, new_kubeconfig
from .manifests import Site


class Keys(Record):
    """The kubeconfig files of a new cluster."""

    admin: bytes
    kubelet: bytes


def new_keys(cluster: Cluster, certificates: Certificates) -> Keys:
    """The administrator's way in from outside, and a joining machine's from inside."""
    trust = certificates.kube_apiserver_ca.chain
    outside, inside = (f"https://{name}.{cluster.domain}:{API_PORT}" for name in ("api", "api-int"))
    return Keys(
        admin=new_kubeconfig(cluster.name, outside, trust, "admin", certificates.admin),
        kubelet=new_kubeconfig(cluster.name, inside, trust, "kubelet", certificates.kubelet_bootstrap),
    )


def bootstrap(site: Site, keys: Keys, manifests: Mapping[str, Content]) -> Config:
    """The config of the host that starts the cluster, with the manifests that it starts from."""
    files = (
        *_secrets(site, keys),
        *_scripts(),
        *(_manifest(name, content) for name, content in manifests.items()),
    )
    units = [ignition.unit(name, contents, enabled=name in _ENABLED) for name, contents in _UNITS.items()]
    return ignition.config(files, units, ssh_keys(site.cluster))


def ssh_keys(cluster: Cluster) -> tuple[str, ...]:
    """The keys of those who may log in."""
    return tuple(dict.fromkeys(line.strip() for line in cluster.ssh_public_key.splitlines() if line.strip()))


def _secrets(site: Site, keys: Keys) -> Iterable[Config]:
    yield ignition.file("/root/.docker/config.json", site.cluster.pull_secret, PRIVATE)
    yield ignition.file("/etc/kubernetes/kubeconfig", keys.kubelet, PRIVATE)
    yield ignition.file(f"{ROOT}/auth/kubeconfig", keys.admin, PRIVATE)
    yield ignition.file(f"{ROOT}/auth/kubeconfig-kubelet", keys.kubelet, PRIVATE)
    yield ignition.file("/etc/kubernetes/ca.crt", site.certificates.kube_apiserver_ca.chain)
    for name, identity in site.certificates.named():
        yield ignition.file(f"{ROOT}/tls/{name}.crt", identity.chain)
        yield ignition.file(f"{ROOT}/tls/{name}.key", identity.key_pem, PRIVATE)


def _manifest(name: str, content: Content) -> Config:
    """What somebody else wrote may hold a secret."""
    if isinstance(content, bytes):
        return ignition.file(f"{ROOT}/{name}", content, PRIVATE)
    mode = PRIVATE if content.get("kind") == "Secret" else READABLE
    return ignition.file(f"{ROOT}/{name}", json.dumps(content, indent=2), mode)


def _scripts() -> Iterable[Config]:
    for name, lines in _SCRIPTS.items():
        yield ignition.file(f"/usr/local/bin/{name}", f"#!/usr/bin/env bash\nset -euo pipefail\n{lines}", EXECUTABLE)


_SCRIPTS = {
    "bootkube.sh": f"""\
export KUBECONFIG={ROOT}/auth/kubeconfig
until oc get --raw /readyz >/dev/null; do sleep 5; done
for folder in manifests openshift; do
  [[ -d {ROOT}/$folder ]] || continue
  until oc apply --filename {ROOT}/$folder; do sleep 5; done
done
touch {ROOT}/.bootkube.done
""",
    "approve-csr.sh": f"""\
export KUBECONFIG={ROOT}/auth/kubeconfig
until [[ -f {ROOT}/.bootkube.done ]]; do
  oc get csr --output name | xargs --no-run-if-empty oc adm certificate approve || true
  sleep 20
done
""",
    "report-progress.sh": f"""\
until [[ -f {ROOT}/.bootkube.done ]]; do sleep 5; done
export KUBECONFIG={ROOT}/auth/kubeconfig
oc --namespace kube-system create configmap bootstrap --from-literal status=complete
""",
}

_UNITS = {
    "kubelet.service": """\
[Unit]
Description=Kubernetes kubelet
Wants=network-online.target crio.service
After=network-online.target crio.service

[Service]
Type=notify
ExecStart=/usr/bin/kubelet --container-runtime-endpoint=/var/run/crio/crio.sock \
--pod-manifest-path=/etc/kubernetes/manifests --bootstrap-kubeconfig=/etc/kubernetes/kubeconfig \
--kubeconfig=/var/lib/kubelet/kubeconfig --rotate-certificates
Restart=always
RestartSec=10

[Install]
WantedBy=multi-user.target
""",
    "bootkube.service": """\
[Unit]
Description=Start a cluster on this machine
Wants=kubelet.service
After=kubelet.service
ConditionPathExists=!/opt/openshift/.bootkube.done

[Service]
WorkingDirectory=/opt/openshift
ExecStart=/usr/local/bin/bootkube.sh
Restart=on-failure
RestartSec=5
""",
    "approve-csr.service": """\
[Unit]
Description=Approve the certificates of machines that join
Wants=bootkube.service
After=bootkube.service

[Service]
ExecStart=/usr/local/bin/approve-csr.sh
Restart=on-failure
RestartSec=5
""",
    "progress.service": """\
[Unit]
Description=Tell the cluster when this machine is no longer needed
Wants=bootkube.service
After=bootkube.service

[Service]
ExecStart=/usr/local/bin/report-progress.sh
Restart=on-failure
RestartSec=5
""",
}
"""The services of the first host. The installer starts those that are not enabled."""

_ENABLED = frozenset({"kubelet.service"})
