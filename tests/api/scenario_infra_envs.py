"""One function for each method of the client that is about discovery images, named like it."""

from assisted_service_client import models
from making import SECRET
from scenario_stage import Stage, refused
from scenario_told import WIRED


def register_infra_env(at: Stage) -> None:
    cluster_id = at.cluster()
    params = models.InfraEnvCreateParams(
        name="client-env", pull_secret=SECRET, cluster_id=cluster_id, image_type="minimal-iso"
    )
    infra_env = at.installer.register_infra_env(infraenv_create_params=params)
    assert (infra_env.kind, infra_env.type, infra_env.cluster_id) == ("InfraEnv", "minimal-iso", cluster_id)


def list_infra_envs(at: Stage) -> None:
    cluster_id = at.cluster()
    infra_env_id = at.infra_env(cluster_id)
    assert [each["id"] for each in at.installer.list_infra_envs(cluster_id=cluster_id)] == [infra_env_id]


def get_infra_env(at: Stage) -> None:
    infra_env_id = at.infra_env()
    assert at.installer.get_infra_env(infra_env_id=infra_env_id).id == infra_env_id


def update_infra_env(at: Stage) -> None:
    infra_env_id = at.infra_env()
    changes = models.InfraEnvUpdateParams(additional_ntp_sources="clock.example.com")
    changed = at.installer.update_infra_env(infra_env_id=infra_env_id, infra_env_update_params=changes)
    assert changed.additional_ntp_sources == "clock.example.com"


def deregister_infra_env(at: Stage) -> None:
    infra_env_id = at.infra_env()
    at.installer.deregister_infra_env(infra_env_id=infra_env_id)
    with refused(404):
        at.installer.get_infra_env(infra_env_id=infra_env_id)


def get_infra_env_download_url(at: Stage) -> None:
    infra_env_id = at.infra_env(image_type="minimal-iso")
    assert at.installer.get_infra_env_download_url(infra_env_id=infra_env_id).url.endswith("/minimal.iso")


def v2_download_infra_env_files(at: Stage) -> None:
    infra_env_id = at.infra_env(static_network_config=[WIRED])
    for name, sign in (("discovery.ign", b'"ignition"'), ("ipxe-script", b"#!ipxe"), ("static-network-config", b"")):
        sent = at.installer.v2_download_infra_env_files(
            infra_env_id=infra_env_id, file_name=name, _preload_content=False
        )
        assert sign in sent.data


def get_infra_env_presigned_file_url(at: Stage) -> None:
    infra_env_id = at.infra_env()
    signed = at.installer.get_infra_env_presigned_file_url(infra_env_id=infra_env_id, file_name="discovery.ign")
    assert f"/v2/infra-envs/{infra_env_id}/downloads/files?" in signed.url
    assert "file_name=discovery.ign" in signed.url


def download_minimal_initrd(at: Stage) -> None:
    nothing = at.installer.download_minimal_initrd(infra_env_id=at.infra_env(), _preload_content=False)
    assert (nothing.status, nothing.data) == (204, b"")
    sent = at.installer.download_minimal_initrd(
        infra_env_id=at.infra_env(static_network_config=[WIRED]), _preload_content=False
    )
    assert sent.status == 200
    assert sent.data


def regenerate_infra_env_signing_key(at: Stage) -> None:
    at.installer.regenerate_infra_env_signing_key(infra_env_id=at.infra_env())
    with refused(404):
        at.installer.regenerate_infra_env_signing_key(infra_env_id="6f1b3c52-3f0c-4f0e-9a3e-0c8d5cf1a001")
