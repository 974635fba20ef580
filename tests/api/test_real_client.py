"""The original's own client, unmodified from PyPI, drives the service."""

import uuid

import pytest
from assisted_service_client import ApiClient, Configuration, EventsApi, InstallerApi, VersionsApi, models
from assisted_service_client.rest import ApiException
from making import AGENT, SECRET, a_ready_single_node, installing


@pytest.fixture
def client(service):
    configuration = Configuration()
    configuration.host = f"{service.url}/api/assisted-install"
    with_pool = ApiClient(configuration=configuration)
    yield with_pool
    with_pool.rest_client.pool_manager.clear()
    with_pool.pool.close()
    with_pool.pool.join()


@pytest.fixture
def installer(client):
    return InstallerApi(api_client=client)


def a_cluster(installer: InstallerApi, **written: object) -> models.Cluster:
    params = models.ClusterCreateParams(name="client", openshift_version="4.20", pull_secret=SECRET, **written)
    return installer.v2_register_cluster(new_cluster_params=params)


def an_infra_env(installer: InstallerApi, **written: object) -> models.InfraEnv:
    params = models.InfraEnvCreateParams(name="client-env", pull_secret=SECRET, **written)
    return installer.register_infra_env(infraenv_create_params=params)


def test_a_cluster_is_created_listed_read_changed_and_deleted(installer):
    cluster = a_cluster(installer, base_dns_domain="example.com", tags="one")
    assert (cluster.name, cluster.kind, cluster.pull_secret_set) == ("client", "Cluster", True)
    assert cluster.id in [each["id"] for each in installer.v2_list_clusters()]
    assert installer.v2_get_cluster(cluster_id=cluster.id).tags == "one"
    changes = models.V2ClusterUpdateParams(tags="two", api_vips=[models.ApiVip(ip="192.168.1.5")])
    with pytest.raises(ApiException) as refused:
        installer.v2_update_cluster(cluster_id=cluster.id, cluster_update_params=changes)
    assert refused.value.status == 400
    changes = models.V2ClusterUpdateParams(tags="two")
    assert installer.v2_update_cluster(cluster_id=cluster.id, cluster_update_params=changes).tags == "two"
    installer.v2_deregister_cluster(cluster_id=cluster.id)
    with pytest.raises(ApiException) as gone:
        installer.v2_get_cluster(cluster_id=cluster.id)
    assert gone.value.status == 404


def test_an_infra_env_is_created_listed_read_changed_and_deleted(installer):
    cluster = a_cluster(installer)
    infra_env = an_infra_env(installer, cluster_id=cluster.id, image_type="minimal-iso")
    assert (infra_env.kind, infra_env.type, infra_env.cluster_id) == ("InfraEnv", "minimal-iso", cluster.id)
    assert infra_env.id in [each["id"] for each in installer.list_infra_envs(cluster_id=cluster.id)]
    changes = models.InfraEnvUpdateParams(additional_ntp_sources="clock.example.com")
    installer.update_infra_env(infra_env_id=infra_env.id, infra_env_update_params=changes)
    assert installer.get_infra_env(infra_env_id=infra_env.id).additional_ntp_sources == "clock.example.com"
    assert installer.get_infra_env_download_url(infra_env_id=infra_env.id).url.endswith("/minimal.iso")
    installer.deregister_infra_env(infra_env_id=infra_env.id)
    with pytest.raises(ApiException) as gone:
        installer.get_infra_env(infra_env_id=infra_env.id)
    assert gone.value.status == 404


def test_a_host_registers_is_listed_read_changed_and_deleted(installer):
    cluster = a_cluster(installer)
    infra_env = an_infra_env(installer, cluster_id=cluster.id)
    place = {"infra_env_id": infra_env.id, "host_id": str(uuid.uuid4())}
    params = models.HostCreateParams(host_id=place["host_id"], discovery_agent_version=AGENT)
    installer.v2_register_host(infra_env_id=infra_env.id, new_host_params=params)
    assert [each["id"] for each in installer.v2_list_hosts(infra_env_id=infra_env.id)] == [place["host_id"]]
    steps = installer.v2_get_next_steps(**place)
    assert [each.step_type for each in steps.instructions] == ["inventory"]
    reply = models.StepReply(step_type="inventory", step_id="inventory-1", exit_code=0, output='{"hostname": "one"}')
    installer.v2_post_step_reply(**place, reply=reply)
    assert installer.v2_get_host(**place).requested_hostname == "one"
    changed = installer.v2_update_host(**place, host_update_params=models.HostUpdateParams(host_name="two"))
    assert changed.requested_hostname == "two"
    assert installer.v2_get_cluster(cluster_id=cluster.id).total_host_count == 1
    installer.v2_deregister_host(**place)
    assert installer.v2_list_hosts(infra_env_id=infra_env.id) == []


def test_an_installation_is_started_cancelled_and_reset_and_its_files_are_downloaded(installer, api):
    it = a_ready_single_node(api)
    installing(api, it)
    content = installer.v2_download_cluster_credentials(
        cluster_id=it.cluster_id, file_name="kubeconfig-noingress", _preload_content=False
    )
    assert b"certificate-authority-data" in content.data
    assert installer.v2_cancel_installation(cluster_id=it.cluster_id).status == "cancelled"
    assert installer.v2_reset_cluster(cluster_id=it.cluster_id).status == "insufficient"
    with pytest.raises(ApiException) as refused:
        installer.v2_install_cluster(cluster_id=it.cluster_id)
    assert refused.value.status == 409


def test_events_are_listed_and_counted(client, installer):
    cluster = a_cluster(installer)
    events, status, headers = EventsApi(api_client=client).v2_list_events_with_http_info(
        cluster_id=cluster.id, order="descending", severities=["info", "warning"]
    )
    assert status == 200
    assert [each["name"] for each in events][-1] == "cluster_registration_succeeded"
    assert int(headers["Event-Count"]) == int(headers["Severity-Count-Info"]) == len(events)


def test_versions_are_listed(client):
    versions = VersionsApi(api_client=client)
    assert versions.v2_list_component_versions().versions["discovery-agent"] == AGENT
    offered = versions.v2_list_supported_openshift_versions(only_latest=True)
    assert offered["4.20.1"]["support_level"] == "production"
