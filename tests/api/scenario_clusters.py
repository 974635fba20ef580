"""One function for each method of the client that is about clusters, named like it."""

import json
import tempfile
from pathlib import Path

from assisted_service_client import models
from making import AGENT, SECRET
from replaying import recorded
from scenario_stage import Stage, refused


def v2_register_cluster(at: Stage) -> None:
    params = models.ClusterCreateParams(
        name="client", openshift_version="4.20", pull_secret=SECRET, base_dns_domain="example.com", tags="one"
    )
    cluster = at.installer.v2_register_cluster(new_cluster_params=params)
    assert (cluster.name, cluster.kind, cluster.tags, cluster.pull_secret_set) == ("client", "Cluster", "one", True)


def v2_list_clusters(at: Stage) -> None:
    cluster_id = at.cluster()
    assert cluster_id in [each["id"] for each in at.installer.v2_list_clusters(with_hosts=True)]


def v2_get_cluster(at: Stage) -> None:
    cluster_id = at.cluster(tags="one")
    assert at.installer.v2_get_cluster(cluster_id=cluster_id).tags == "one"
    assert at.installer.v2_get_cluster(cluster_id=cluster_id, exclude_hosts=True).hosts is None


def v2_update_cluster(at: Stage) -> None:
    cluster_id = at.cluster()
    changes = models.V2ClusterUpdateParams(tags="two", api_vips=[models.ApiVip(ip="192.168.1.5")])
    with refused(400):
        at.installer.v2_update_cluster(cluster_id=cluster_id, cluster_update_params=changes)
    changes = models.V2ClusterUpdateParams(tags="two")
    assert at.installer.v2_update_cluster(cluster_id=cluster_id, cluster_update_params=changes).tags == "two"


def v2_deregister_cluster(at: Stage) -> None:
    cluster_id = at.cluster()
    at.installer.v2_deregister_cluster(cluster_id=cluster_id)
    with refused(404):
        at.installer.v2_get_cluster(cluster_id=cluster_id)
    gone = at.installer.v2_get_cluster(cluster_id=cluster_id, get_unregistered_clusters=True)
    assert gone.deleted_at is not None


def v2_import_cluster(at: Stage) -> None:
    params = models.ImportClusterParams(
        name="elsewhere",
        api_vip_dnsname="api.elsewhere.example.com",
        openshift_cluster_id="6f1b3c52-3f0c-4f0e-9a3e-0c8d5cf1a001",
        openshift_version="4.20",
    )
    cluster = at.installer.v2_import_cluster(new_import_cluster_params=params)
    assert (cluster.kind, cluster.status, cluster.imported) == ("AddHostsCluster", "adding-hosts", True)
    assert (cluster.name, cluster.base_dns_domain) == ("elsewhere", "example.com")


def v2_register_disconnected_cluster(at: Stage) -> None:
    params = models.DisconnectedClusterCreateParams(name="apart", openshift_version="4.20")
    cluster = at.installer.v2_register_disconnected_cluster(new_cluster_params=params)
    assert (cluster.kind, cluster.status) == ("DisconnectedCluster", "unmonitored")


def v2_get_cluster_default_config(at: Stage) -> None:
    usual = at.installer.v2_get_cluster_default_config()
    assert (usual.cluster_network_cidr, usual.service_network_cidr) == ("10.128.0.0/14", "172.30.0.0/16")


def list_cluster_hosts(at: Stage) -> None:
    it = at.ready()
    (host,) = at.installer.list_cluster_hosts(cluster_id=it.cluster_id, with_inventory=True, status="known")
    assert json.loads(host["inventory"])["hostname"] == "host-2-0.lab.local"
    assert at.installer.list_cluster_hosts(cluster_id=it.cluster_id, role="worker") == []


def get_cluster_supported_platforms(at: Stage) -> None:
    assert at.installer.get_cluster_supported_platforms(cluster_id=at.ready().cluster_id) == ["none"]


def v2_get_preflight_requirements(at: Stage) -> None:
    needed = at.installer.v2_get_preflight_requirements(cluster_id=at.cluster())
    assert needed.ocp.master.quantitative.cpu_cores == 4
    assert "cnv" in [each.operator_name for each in needed.operators]


def v2_get_cluster_install_config(at: Stage) -> None:
    config = json.loads(at.installer.v2_get_cluster_install_config(cluster_id=at.cluster()))
    assert (config["metadata"]["name"], config["baseDomain"]) == ("lab", "example.com")


def v2_update_cluster_install_config(at: Stage) -> None:
    cluster_id = at.cluster()
    at.installer.v2_update_cluster_install_config(cluster_id=cluster_id, install_config_params='{"fips": true}')
    assert at.installer.v2_get_cluster(cluster_id=cluster_id).install_config_overrides == '{"fips": true}'
    with refused(400):
        at.installer.v2_update_cluster_install_config(cluster_id=cluster_id, install_config_params="no JSON")


def v2_get_cluster_ui_settings(at: Stage) -> None:
    assert at.installer.v2_get_cluster_ui_settings(cluster_id=at.cluster()) == ""


def v2_update_cluster_ui_settings(at: Stage) -> None:
    cluster_id = at.cluster()
    written = '{"folded": true}'
    assert at.installer.v2_update_cluster_ui_settings(cluster_id=cluster_id, ui_settings=written) == written
    assert at.installer.v2_get_cluster_ui_settings(cluster_id=cluster_id) == written


def v2_get_ignored_validations(at: Stage) -> None:
    assert at.installer.v2_get_ignored_validations(cluster_id=at.cluster()).host_validation_ids is None


def v2_set_ignored_validations(at: Stage) -> None:
    cluster_id = at.cluster()
    chosen = models.IgnoredValidations(host_validation_ids='["all"]', cluster_validation_ids='["network-type-valid"]')
    with refused(400):
        at.installer.v2_set_ignored_validations(
            cluster_id=cluster_id, ignored_validations=models.IgnoredValidations(host_validation_ids='["nosuch"]')
        )
    at.installer.v2_set_ignored_validations(cluster_id=cluster_id, ignored_validations=chosen)
    assert at.installer.v2_get_ignored_validations(cluster_id=cluster_id).host_validation_ids == '["all"]'


def v2_install_cluster(at: Stage) -> None:
    assert at.installer.v2_install_cluster(cluster_id=at.ready().cluster_id).status == "preparing-for-installation"
    with refused(409):
        at.installer.v2_install_cluster(cluster_id=at.cluster())


def v2_cancel_installation(at: Stage) -> None:
    it = at.installing()
    assert at.installer.v2_cancel_installation(cluster_id=it.cluster_id).status == "cancelled"


def v2_reset_cluster(at: Stage) -> None:
    it = at.installing()
    assert at.installer.v2_reset_cluster(cluster_id=it.cluster_id).status == "insufficient"


def transform_cluster_to_adding_hosts(at: Stage) -> None:
    cluster = at.installer.transform_cluster_to_adding_hosts(cluster_id=at.installed().cluster_id)
    assert (cluster.kind, cluster.status) == ("AddHostsCluster", "adding-hosts")


def transform_cluster_to_day2(at: Stage) -> None:
    cluster = at.installer.transform_cluster_to_day2(cluster_id=at.installed().cluster_id)
    assert (cluster.kind, cluster.status) == ("AddHostsCluster", "adding-hosts")
    with refused(400):
        at.installer.transform_cluster_to_day2(cluster_id=at.cluster())


def v2_complete_installation(at: Stage) -> None:
    it = at.finalizing()
    params = models.CompletionParams(is_success=True)
    done = at.installer.v2_complete_installation(
        cluster_id=it.cluster_id, completion_params=params, discovery_agent_version=AGENT
    )
    assert done.id == it.cluster_id


def v2_update_cluster_finalizing_progress(at: Stage) -> None:
    it = at.finalizing()
    progress = models.ClusterFinalizingProgress(finalizing_stage="Waiting for cluster operators")
    at.installer.v2_update_cluster_finalizing_progress(cluster_id=it.cluster_id, finalizing_progress=progress)
    told = at.installer.v2_get_cluster(cluster_id=it.cluster_id).progress
    assert told.finalizing_stage == "Waiting for cluster operators"


def v2_list_of_cluster_operators(at: Stage) -> None:
    it = at.finalizing()
    for face in (at.installer, at.operators):
        listed = face.v2_list_of_cluster_operators(cluster_id=it.cluster_id, operator_name="console")
        assert [each["name"] for each in listed] == ["console"]


def v2_report_monitored_operator_status(at: Stage) -> None:
    it = at.finalizing()
    for face, status in ((at.installer, "progressing"), (at.operators, "available")):
        report = models.OperatorMonitorReport(name="console", status=status, status_info="as it is")
        face.v2_report_monitored_operator_status(cluster_id=it.cluster_id, report_params=report)
        (told,) = at.installer.v2_list_of_cluster_operators(cluster_id=it.cluster_id, operator_name="console")
        assert told["status"] == status


def v2_upload_cluster_ingress_cert(at: Stage) -> None:
    it = at.finalizing()
    certificate = next(each for each in recorded("multi-node-install") if each.call.endswith("ingress-cert")).request
    at.installer.v2_upload_cluster_ingress_cert(
        cluster_id=it.cluster_id, ingress_cert_params=certificate, discovery_agent_version=AGENT
    )


def v2_get_credentials(at: Stage) -> None:
    credentials = at.installer.v2_get_credentials(cluster_id=at.installed().cluster_id)
    assert credentials.username == "kubeadmin"
    assert credentials.console_url == "https://console-openshift-console.apps.sno.lab.local"


def v2_download_cluster_credentials(at: Stage) -> None:
    cluster_id = at.installed().cluster_id
    for name, found in (("kubeconfig", b"certificate-authority-data"), ("kubeadmin-password", b"")):
        sent = at.installer.v2_download_cluster_credentials(
            cluster_id=cluster_id, file_name=name, _preload_content=False
        )
        assert found in sent.data


def v2_get_presigned_for_cluster_credentials(at: Stage) -> None:
    with refused(400):
        at.installer.v2_get_presigned_for_cluster_credentials(
            cluster_id=at.installed().cluster_id, file_name="kubeconfig"
        )


def v2_download_cluster_files(at: Stage) -> None:
    sent = at.installer.v2_download_cluster_files(
        cluster_id=at.installing().cluster_id,
        file_name="bootstrap.ign",
        discovery_agent_version=AGENT,
        _preload_content=False,
    )
    assert json.loads(sent.data)["ignition"]


def v2_get_presigned_for_cluster_files(at: Stage) -> None:
    with refused(400):
        at.installer.v2_get_presigned_for_cluster_files(
            cluster_id=at.installing().cluster_id, file_name="bootstrap.ign"
        )


def v2_update_cluster_logs_progress(at: Stage) -> None:
    it = at.finalizing()
    progress = models.LogsProgressParams(logs_state="requested")
    at.installer.v2_update_cluster_logs_progress(cluster_id=it.cluster_id, logs_progress_params=progress)
    assert at.installer.v2_get_cluster(cluster_id=it.cluster_id).logs_info == "requested"


def v2_upload_logs(at: Stage) -> None:
    it = at.installing()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "logs.tar.gz"
        file.write_bytes(b"controller logs")
        at.installer.v2_upload_logs(cluster_id=it.cluster_id, logs_type="controller", upfile=str(file))
        at.installer.v2_upload_logs(
            cluster_id=it.cluster_id,
            logs_type="host",
            infra_env_id=it.infra_env_id,
            host_id=it.host_id,
            upfile=str(file),
        )
    assert at.installer.v2_get_cluster(cluster_id=it.cluster_id).logs_info == "collecting"


def v2_download_cluster_logs(at: Stage) -> None:
    it = at.installing()
    with tempfile.NamedTemporaryFile(suffix=".tar.gz") as file:
        file.write(b"controller logs")
        file.flush()
        at.installer.v2_upload_logs(cluster_id=it.cluster_id, logs_type="controller", upfile=file.name)
    sent = at.installer.v2_download_cluster_logs(
        cluster_id=it.cluster_id, logs_type="controller", _preload_content=False
    )
    assert sent.data == b"controller logs"
