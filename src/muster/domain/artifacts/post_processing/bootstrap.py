"""Turns the installer's config of the first host into one that does without what the service does itself.

The host runs a live system that others of the cluster can do without later: the service has set up its network, and
its machines are discovered already.
"""

from muster.domain.artifacts.assets import ROOT, Assets, Order
from muster.domain.artifacts.ignition import Config, data_of, data_url, file
from muster.domain.releases import at_least

from .internal_release import with_internal_release
from .machines import described_machines
from .placing import files_of, with_files, with_manifests

PROVISIONING = "baremetal-provisioning-config"
KEYFILE = "/etc/NetworkManager/system-connections/nmconnection"
MESSAGE = "/etc/motd"
WITHOUT_PROVISIONING = "4.7"
"""The version from which on the installer's own word on provisioning fits machines that are discovered."""

MARKS = (
    file(f"{ROOT}/assisted-install-bootstrap", ""),
    file("/etc/NetworkManager/conf.d/99-kni.conf", "[main]\nrc-manager=unmanaged\n"),
)
"""On a host that hands over to others: that it does, and that its resolver is not to be rewritten."""


def bootstrap_config(order: Order, assets: Assets) -> Config:
    """The config of the host that starts the cluster; `Broken` if the installer knows machines that nobody has."""
    config = with_manifests(assets.bootstrap, described_machines(order, assets))
    config = with_internal_release(config, order, assets)
    kept = [_written_anew(entry) for entry in files_of(config) if _stays(order, entry["path"])]
    return with_files(config, kept if order.cluster.single_node else (*kept, *MARKS))


def _stays(order: Order, path: str) -> bool:
    if PROVISIONING in path:
        return at_least(order.cluster.openshift_version, WITHOUT_PROVISIONING)
    return path != KEYFILE


def _written_anew(entry: Config) -> Config:
    """The message of the day in place of the live system's, which says how to discover a machine."""
    pieces = [data_of(each.get("source") or "") for each in entry.get("append") or ()]
    if entry["path"] != MESSAGE or not pieces or None in pieces:
        return entry
    whole = b"".join(piece for piece in pieces if piece is not None)
    rest = {key: value for key, value in entry.items() if key != "append"}
    return rest | {"overwrite": True, "contents": {"source": data_url(whole)}}
