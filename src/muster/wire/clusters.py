"""Clusters as clients see them."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from msgspec import UNSET

from muster.domain.address_families import leading_list
from muster.domain.clusters import Cluster, ClusterState, PreparationStatus
from muster.domain.hosts import Host, HostState
from muster.domain.inputs.ignored import IgnoredValidations
from muster.domain.inputs.operators import chosen_bundles
from muster.domain.monitored import MonitoredOperator
from muster.domain.networks import Vip, family, lies_in, normal
from muster.domain.operators import OLM_OPERATORS
from muster.domain.validations.catalogue import CLUSTER_VALIDATIONS
from muster.domain.views import View

from .hosts import ROOT, WHOLE, host_out, host_written, validations_text
from .json import filled, text
from .moments import NEVER, NEVER_CREATED, micros, millis
from .usage import feature_usage

CATEGORIES = {check.id: check.category for check in CLUSTER_VALIDATIONS}

PREPARATIONS = {
    PreparationStatus.NOT_STARTED: "The files for the installation are yet to be generated",
    PreparationStatus.SUCCESS: "The files for the installation have been generated",
}
"""What is said of a preparation that has no reason of its own."""


def cluster_out(view: View, *, hosts: bool = True, full: bool = True, gone: bool = False) -> dict[str, Any]:
    """A cluster with everything clients may read of it.

    `full` False is the form it has in lists and in the answers to actions. With `gone`, hosts that were given up in
    it are shown and counted too.
    """
    cluster = view.cluster
    assert cluster is not None
    shown = _members(view) if gone else view.living
    return {
        **filled(_scalars(cluster)),
        **filled(_counts(shown)),
        "feature_usage": feature_usage(cluster, shown, view.infra_envs.values()),
        **_lists(cluster, _bootstrap_addresses(shown)),
        **_moments(cluster),
        "disk_encryption": filled(
            {
                "enable_on": cluster.disk_encryption.enable_on,
                "mode": cluster.disk_encryption.mode,
                "tang_servers": cluster.disk_encryption.tang_servers,
            }
        ),
        "host_networks": host_networks(shown, ipv6=view.policy.ipv6) if full else None,
        "hosts": hosts_written(view, shown, full=full) if hosts else [],
        "ignition_endpoint": filled(
            {"url": cluster.ignition_endpoint.url, "ca_certificate": cluster.ignition_endpoint.ca_certificate}
        ),
        "image_info": image_info(view, dated=not full),
        "last-installation-preparation": _preparation(cluster),
        "load_balancer": {"type": cluster.load_balancer},
        "monitored_operators": [operator_out(operator, cluster.id) for operator in cluster.operators],
        "operator_bundles": _bundles(cluster) if full else None,
        "platform": {
            "type": cluster.platform.type,
            "external": filled(
                {
                    "platform_name": cluster.platform.platform_name,
                    "cloud_controller_manager": cluster.platform.cloud_controller_manager,
                }
            ),
        },
        "progress": progress_out(cluster),
        "schedulable_masters": cluster.schedulable_masters,
        "schedulable_masters_forced_true": cluster.schedulable_masters_forced_true,
        "user_managed_networking": cluster.user_managed_networking,
        "vip_dhcp_allocation": cluster.vip_dhcp_allocation,
    }


def without_hosts(cluster: dict[str, Any]) -> dict[str, Any]:
    """The same cluster for a client that wants none of its hosts, nor their number."""
    counts = ("enabled_host_count", "ready_host_count", "total_host_count")
    return {key: value for key, value in cluster.items() if key not in counts} | {"hosts": None}


def hosts_out(view: View, *, full: bool = True) -> list[dict[str, Any]]:
    """The hosts of a cluster."""
    single_node = view.cluster is not None and view.cluster.single_node
    return [host_out(host, view.seen_at(host), single_node=single_node, full=full) for host in view.living]


def hosts_written(
    view: View, hosts: Iterable[Host], *, full: bool, without: frozenset[str] = WHOLE
) -> list[msgspec.Raw]:
    """Hosts of a cluster as JSON: there may be many of them, and they are asked for all the time."""
    single_node = view.cluster is not None and view.cluster.single_node
    return [
        host_written(host, view.seen_at(host), single_node=single_node, full=full, without=without) for host in hosts
    ]


def _members(view: View) -> tuple[Host, ...]:
    """The hosts of a cluster, given up or not; those that have gone elsewhere are no longer its own."""
    own = view.cluster.id if view.cluster else None
    return tuple(host for host in view.hosts.values() if host.cluster_id == own)


def ignored_out(cluster: Cluster) -> IgnoredValidations:
    """The checks that are ignored, as they can be written again."""
    return IgnoredValidations(
        host_validation_ids=_ids(cluster.ignored_host_validations) or UNSET,
        cluster_validation_ids=_ids(cluster.ignored_cluster_validations) or UNSET,
    )


IMAGE = "/api/assisted-install/v1/clusters/{cluster_id}/downloads/image"
"""Where the image is to be had that is a cluster's own."""

NO_IMAGE = {"created_at": NEVER_CREATED, "expires_at": NEVER}


def image_info(view: View, *, dated: bool) -> dict[str, str]:
    """The discovery image that is the cluster's own; if it has none, that is `dated` in lists and after changes."""
    cluster = view.cluster
    assert cluster is not None
    image = view.infra_envs.get(cluster.id)
    if image is None or image.deleted:
        return {**NO_IMAGE, "created_at": micros(cluster.created_at)} if dated else NO_IMAGE
    known = {"ssh_public_key": image.ssh_authorized_key, "static_network_config": image.static_network_config}
    return {
        **filled(known),
        "created_at": micros(image.created_at),
        "download_url": f"{view.policy.service_url}{IMAGE.format(cluster_id=cluster.id)}",
        "expires_at": NEVER,
        "type": image.type,
    }


def _preparation(cluster: Cluster) -> dict[str, str]:
    """How the files have come about; how far they had come says nothing any more where nobody goes on with them."""
    status = cluster.preparation.status
    if status is None:
        return {}
    given_up = status is PreparationStatus.NOT_STARTED and cluster.status is not ClusterState.PREPARING
    reason = "" if given_up else cluster.preparation.reason
    return {"status": status, "reason": reason or PREPARATIONS.get(status, "")}


def _scalars(cluster: Cluster) -> dict[str, Any]:
    return {
        "additional_ntp_source": cluster.additional_ntp_source,
        "api_vip_dns_name": cluster.api_vip_dns_name,
        "base_dns_domain": cluster.base_dns_domain,
        "connectivity_majority_groups": text(cluster.majority_groups) if cluster.majority_groups else "",
        "control_plane_count": cluster.control_plane_count,
        "cpu_architecture": cluster.cpu_architecture,
        "email_domain": cluster.email_domain,
        "high_availability_mode": cluster.high_availability_mode,
        "href": f"{ROOT}/clusters/{cluster.id}",
        "http_proxy": cluster.proxy.http_proxy,
        "https_proxy": cluster.proxy.https_proxy,
        "hyperthreading": cluster.hyperthreading,
        "id": cluster.id,
        "ignored_cluster_validations": _ids(cluster.ignored_cluster_validations),
        "ignored_host_validations": _ids(cluster.ignored_host_validations),
        "imported": cluster.imported,
        "install_config_overrides": cluster.install_config_overrides,
        "ip_collisions": text(cluster.ip_collisions) if cluster.ip_collisions is not None else "",
        "kind": cluster.kind,
        "logs_info": cluster.logs_info,
        "name": cluster.name,
        "network_type": cluster.network_type,
        "no_proxy": cluster.proxy.no_proxy,
        "ntp_sources": cluster.ntp_sources,
        "ocp_release_image": cluster.ocp_release_image,
        "openshift_cluster_id": cluster.openshift_cluster_id,
        "openshift_version": cluster.openshift_version,
        "org_id": cluster.org_id,
        "org_soft_timeouts_enabled": cluster.org_soft_timeouts_enabled,
        "pull_secret_set": bool(cluster.pull_secret),
        "ssh_public_key": cluster.ssh_public_key,
        "status": cluster.status,
        "status_info": cluster.status_info,
        "tags": cluster.tags,
        "user_name": cluster.user_name,
        "validations_info": validations_text(cluster.verdicts, CATEGORIES),
    }


def _ids(ids: tuple[str, ...]) -> str:
    return text(ids) if ids else ""


def _counts(hosts: tuple[Host, ...]) -> dict[str, int]:
    return {
        "enabled_host_count": len(hosts),
        "ready_host_count": sum(host.status is HostState.KNOWN for host in hosts),
        "total_host_count": len(hosts),
    }


def _moments(cluster: Cluster) -> dict[str, Any]:
    return {
        "controller_logs_collected_at": millis(cluster.controller_logs_collected_at),
        "controller_logs_started_at": millis(cluster.controller_logs_started_at),
        "created_at": micros(cluster.created_at),
        "deleted_at": millis(cluster.deleted_at) if cluster.deleted_at else None,
        "install_completed_at": millis(cluster.install_completed_at),
        "install_started_at": millis(cluster.install_started_at),
        "status_updated_at": millis(cluster.status_updated_at),
        "updated_at": micros(cluster.updated_at),
    }


def _lists(cluster: Cluster, of_bootstrap: tuple[str, ...]) -> dict[str, Any]:
    """The addresses and networks, those of the leading family first, and of these where the bootstrap is."""
    mine = {"cluster_id": cluster.id}
    leading = leading_list(cluster)[1]

    def follows(text: str) -> bool:
        return leading is not None and family(text) != leading

    def is_elsewhere(cidr: str) -> tuple[bool, bool]:
        return follows(cidr), not any(lies_in(address, cidr) for address in of_bootstrap)

    return {
        "api_vips": [_vip(vip, mine) for vip in sorted(cluster.api_vips, key=lambda vip: follows(vip.ip))],
        "cluster_networks": [
            {"cidr": each.cidr, "host_prefix": each.host_prefix, **mine}
            for each in sorted(cluster.cluster_networks, key=lambda each: follows(each.cidr))
        ],
        "ingress_vips": [_vip(vip, mine) for vip in sorted(cluster.ingress_vips, key=lambda vip: follows(vip.ip))],
        "machine_networks": [{"cidr": cidr, **mine} for cidr in sorted(cluster.machine_networks, key=is_elsewhere)],
        "service_networks": [{"cidr": cidr, **mine} for cidr in sorted(cluster.service_networks, key=follows)],
    }


def _bootstrap_addresses(hosts: tuple[Host, ...]) -> tuple[str, ...]:
    bootstrap = next((host for host in hosts if host.bootstrap), None)
    return bootstrap.inventory.addresses if bootstrap and bootstrap.inventory else ()


def _vip(vip: Vip, mine: Mapping[str, str]) -> dict[str, Any]:
    return {"ip": vip.ip, **mine, **({"verification": vip.verification} if vip.verification else {})}


def operator_out(operator: MonitoredOperator, cluster_id: str) -> dict[str, Any]:
    """An operator with everything clients may read of it."""
    known = OLM_OPERATORS.get(operator.name)
    return {
        **filled(
            {
                "dependency_only": operator.dependency_only,
                "namespace": operator.namespace,
                "properties": operator.properties,
                "status": operator.status,
                "status_info": operator.status_info,
                "subscription_name": operator.subscription_name,
                "timeout_seconds": operator.timeout_seconds,
                "version": operator.version,
            }
        ),
        "bundles": list(known.bundle_ids) or None if known else None,
        "cluster_id": cluster_id,
        "name": operator.name,
        "operator_type": operator.operator_type,
        "source_bundles": list(operator.source_bundles) or None,
        "status_updated_at": millis(operator.status_updated_at),
    }


def _bundles(cluster: Cluster) -> list[dict[str, Any]]:
    """The bundles that were chosen, as they can be written again."""
    chosen = chosen_bundles(cluster.operators)
    return [{"id": bundle, "optional_operators": list(optional)} for bundle, optional in chosen.items()]


def progress_out(cluster: Cluster) -> dict[str, Any]:
    """How far the cluster has come."""
    progress = cluster.progress
    return {
        **filled(
            {
                "finalizing_stage": progress.finalizing_stage,
                "finalizing_stage_percentage": progress.finalizing_stage_percentage,
                "finalizing_stage_timed_out": progress.finalizing_stage_timed_out,
                "installing_stage_percentage": progress.installing_stage_percentage,
                "preparing_for_installation_stage_percentage": progress.preparing_for_installation_stage_percentage,
                "total_percentage": progress.total_percentage,
            }
        ),
        "finalizing_stage_started_at": millis(progress.finalizing_stage_started_at),
    }


def host_networks(hosts: tuple[Host, ...], *, ipv6: bool = True) -> list[dict[str, Any]]:
    """The networks on which every host with an inventory has an address.

    Without `ipv6` those of interfaces that have nothing else are left out.
    """
    described = {host.id: host.inventory for host in hosts if host.inventory is not None}
    found: dict[str, list[str]] = {}
    for host_id, inventory in described.items():
        nics = [nic for nic in inventory.interfaces or () if ipv6 or nic.ipv4_addresses]
        addresses = (address for nic in nics for address in nic.addresses if family(address))
        for cidr in dict.fromkeys(map(normal, addresses)):
            found.setdefault(cidr, []).append(host_id)
    return [{"cidr": cidr, "host_ids": ids} for cidr, ids in found.items() if len(ids) == len(described)]
