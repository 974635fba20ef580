"""One function for each method of the client about events, manifests and what is on offer, named like it."""

from base64 import b64encode

from assisted_service_client import models
from making import AGENT
from scenario_stage import Stage, refused

CONTENT = b"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: one\n"
MANIFEST = models.CreateManifestParams(file_name="one.yaml", content=b64encode(CONTENT).decode())


def v2_list_events(at: Stage) -> None:
    cluster_id = at.cluster()
    events, status, headers = at.events.v2_list_events_with_http_info(
        cluster_id=cluster_id, order="descending", severities=["info", "warning"]
    )
    assert status == 200
    assert [each["name"] for each in events][-1] == "cluster_registration_succeeded"
    assert int(headers["Event-Count"]) == int(headers["Severity-Count-Info"]) == len(events)
    assert at.events.v2_list_events(cluster_id=cluster_id, limit=0) == []


def v2_trigger_event(at: Stage) -> None:
    cluster_id = at.cluster()
    event = models.Event(
        name="reboots_for_node",
        cluster_id=cluster_id,
        severity="info",
        category="user",
        message="Node one has been rebooted 2 times before completing installation",
        event_time="2026-01-01T10:00:00.000Z",
    )
    at.events.v2_trigger_event(trigger_event_params=event)
    told = at.events.v2_list_events(cluster_id=cluster_id)
    assert "reboots_for_node" in [each["name"] for each in told]


def v2_create_cluster_manifest(at: Stage) -> None:
    made = at.manifests.v2_create_cluster_manifest(cluster_id=at.cluster(), create_manifest_params=MANIFEST)
    assert (made.folder, made.file_name, made.manifest_source) == ("manifests", "one.yaml", "user")


def v2_list_cluster_manifests(at: Stage) -> None:
    cluster_id = at.cluster()
    at.manifests.v2_create_cluster_manifest(cluster_id=cluster_id, create_manifest_params=MANIFEST)
    listed = at.manifests.v2_list_cluster_manifests(cluster_id=cluster_id, include_system_generated=True)
    assert [each["file_name"] for each in listed] == ["one.yaml"]


def v2_update_cluster_manifest(at: Stage) -> None:
    cluster_id = at.cluster()
    at.manifests.v2_create_cluster_manifest(cluster_id=cluster_id, create_manifest_params=MANIFEST)
    changes = models.UpdateManifestParams(
        folder="manifests", file_name="one.yaml", updated_folder="openshift", updated_file_name="two.yaml"
    )
    changed = at.manifests.v2_update_cluster_manifest(cluster_id=cluster_id, update_manifest_params=changes)
    assert (changed.folder, changed.file_name) == ("openshift", "two.yaml")


def v2_download_cluster_manifest(at: Stage) -> None:
    cluster_id = at.cluster()
    at.manifests.v2_create_cluster_manifest(cluster_id=cluster_id, create_manifest_params=MANIFEST)
    sent = at.manifests.v2_download_cluster_manifest(
        cluster_id=cluster_id, file_name="one.yaml", folder="manifests", _preload_content=False
    )
    assert sent.data == CONTENT


def v2_delete_cluster_manifest(at: Stage) -> None:
    cluster_id = at.cluster()
    at.manifests.v2_create_cluster_manifest(cluster_id=cluster_id, create_manifest_params=MANIFEST)
    at.manifests.v2_delete_cluster_manifest(cluster_id=cluster_id, file_name="one.yaml")
    assert at.manifests.v2_list_cluster_manifests(cluster_id=cluster_id) == []


def v2_list_component_versions(at: Stage) -> None:
    assert at.versions.v2_list_component_versions().versions["discovery-agent"] == AGENT


def v2_list_supported_openshift_versions(at: Stage) -> None:
    offered = at.versions.v2_list_supported_openshift_versions(only_latest=True)
    assert offered["4.20.1"]["support_level"] == "production"


def v2_list_supported_offline_openshift_versions(at: Stage) -> None:
    # The contract has no such call; a client that knows it is newer than what we keep to.
    with refused(404):
        at.versions.v2_list_supported_offline_openshift_versions()


def v2_list_release_sources(at: Stage) -> None:
    assert isinstance(at.versions.v2_list_release_sources(), list)


def get_supported_features(at: Stage) -> None:
    told = at.installer.get_supported_features(openshift_version="4.20", cpu_architecture="x86_64")
    assert told.features["SNO"] == "supported"


def get_detailed_supported_features(at: Stage) -> None:
    told = at.installer.get_detailed_supported_features(openshift_version="4.20", cpu_architecture="x86_64")
    assert "SNO" in [each.feature_support_level_id for each in told.features]
    assert "lso" in [each.name for each in told.operators]


def get_supported_architectures(at: Stage) -> None:
    told = at.installer.get_supported_architectures(openshift_version="4.20")
    assert told.architectures["X86_64_ARCHITECTURE"] == "supported"


def v2_list_supported_operators(at: Stage) -> None:
    assert {"lso", "odf", "cnv"} <= set(at.operators.v2_list_supported_operators())


def v2_list_operator_properties(at: Stage) -> None:
    assert at.operators.v2_list_operator_properties(operator_name="lso") == []
    with refused(404):
        at.operators.v2_list_operator_properties(operator_name="nosuch")


def v2_list_bundles(at: Stage) -> None:
    assert [each.id for each in at.operators.v2_list_bundles()] == ["virtualization", "openshift-ai"]
    listed = at.operators.v2_list_bundles(openshift_version="4.20", feature_ids=["SNO"])
    assert [each.id for each in listed] == ["openshift-ai"]


def v2_get_bundle(at: Stage) -> None:
    assert "cnv" in at.operators.v2_get_bundle(id="virtualization").operators


def v2_list_managed_domains(at: Stage) -> None:
    assert all(each["provider"] for each in at.domains.v2_list_managed_domains())
