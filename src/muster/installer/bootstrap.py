"""The config of the temporary control plane with what only its installer knows: who reports from the new cluster.

`tasks.py` hands the outcome to the machine, once it has the machine's own configuration. The service makes the rest of
the config, long before anybody knows which controller the installer brings.
"""

import json

from muster.domain.artifacts.controller_files import Controller, controller_files
from muster.domain.artifacts.ignition import Config, config, encoded, merged
from muster.domain.artifacts.post_processing.placing import files_of
from muster.domain.artifacts.post_processing.roles import SERVICE_CA
from muster.domain.errors import Broken
from muster.wire.endpoints.endpoint import CARRIED_BY, Scheme

from .work import Work


def with_controller(ignition: bytes, work: Work) -> bytes:
    """The config with the manifests of the controller in it; `Broken` if it is none."""
    below = _read("bootstrap.ign", ignition)
    version = below["ignition"]["version"]
    token = work.client.credentials.get(CARRIED_BY[Scheme.AGENT], "")
    return encoded(merged(below, config(controller_files(_controller(work), token), version=version)))


def _read(name: str, ignition: bytes) -> Config:
    try:
        read: Config = json.loads(ignition)
        read["ignition"]["version"]
    except (ValueError, TypeError, KeyError) as error:
        raise Broken(f"{name}, as the service hands it out, is no Ignition config") from error
    return read


def _authorities(work: Work) -> str:
    """The file in which nodes have those who have signed for the service; "" if they are not given any."""
    own = files_of(_read("the configuration of this host", work.ignition))
    return SERVICE_CA if any(entry["path"] == SERVICE_CA for entry in own) else ""


def _controller(work: Work) -> Controller:
    plan = work.plan
    return Controller(
        cluster_id=plan.cluster_id,
        service_url=work.client.url,
        image=plan.controller_image,
        openshift_version=plan.openshift_version,
        control_plane_count=plan.control_plane_count,
        must_gather_image=plan.must_gather_image,
        check_cluster_version=plan.check_cvo,
        notify_reboots=plan.notify_num_reboots,
        authorities=_authorities(work),
        service_addresses=plan.service_ips or (),
    )
