"""The temporary control plane gets what the service made for it, and the controller of the new cluster."""

import json

import pytest

from muster.client import Client
from muster.domain.artifacts.ignition import OLDEST, config, data_of, file
from muster.domain.errors import Broken
from muster.domain.roles import Role
from muster.installer.bootstrap import with_controller
from muster.installer.work import Plan, Work

ID = "11111111-2222-3333-4444-555555555555"
BELOW = json.dumps(config([file("/etc/motd", "hello")], version=OLDEST)).encode()


def the_work(token: str = "hunter2") -> Work:
    plan = Plan(
        role=Role.BOOTSTRAP, cluster_id=ID, infra_env_id=ID, host_id=ID, boot_device="/dev/vda", control_plane_count=3,
        controller_image="lab/controller", installer_image="lab/installer", check_cvo=True, openshift_version="4.20.1",
        service_ips=None,
    )  # fmt: skip
    credentials = {"X-Secret-Key": token} if token else {}
    work = Work(plan, None, Client("https://service.example.com:8443/", credentials=credentials))
    work.ignition = json.dumps(config()).encode()
    return work


def files_in(ignition: bytes) -> dict[str, str]:
    whole = json.loads(ignition)
    assert whole["ignition"]["version"] == OLDEST
    return {entry["path"]: data_of(entry["contents"]["source"]).decode() for entry in whole["storage"]["files"]}


def test_the_controller_is_told_whose_service_it_reports_to():
    files = files_in(with_controller(BELOW, the_work()))
    settings = json.loads(files["/opt/openshift/manifests/assisted-installer-controller-configmap.yaml"])["data"]
    assert settings["cluster-id"] == ID
    assert settings["inventory-url"] == "https://service.example.com:8443"
    assert settings["check-cluster-version"] == "true"


def test_what_the_service_made_stays_as_it_is():
    assert files_in(with_controller(BELOW, the_work()))["/etc/motd"] == "hello"


@pytest.mark.parametrize(("token", "kept"), [("hunter2", "aHVudGVyMg=="), ("", "")])
def test_the_controller_shows_who_it_is_as_its_installer_does(token, kept):
    files = files_in(with_controller(BELOW, the_work(token)))
    secret = json.loads(files["/opt/openshift/manifests/assisted-installer-controller-secret.yaml"])
    assert secret["data"] == {"pull-secret-token": kept}


@pytest.mark.parametrize(
    ("path", "told"),
    [("/etc/motd", ""), ("/etc/assisted-service/service-ca-cert.crt", "/etc/assisted-service/service-ca-cert.crt")],
)
def test_the_controller_trusts_whom_its_node_trusts_as_the_service(path, told):
    work = the_work()
    work.ignition = json.dumps(config([file(path, "pem")])).encode()
    settings = files_in(with_controller(BELOW, work))[
        "/opt/openshift/manifests/assisted-installer-controller-configmap.yaml"
    ]
    assert json.loads(settings)["data"]["ca-cert-path"] == told


@pytest.mark.parametrize("text", [b"", b"[]", b"{}", b'{"ignition": 5}'])
def test_what_is_no_config_is_not_started(text):
    with pytest.raises(Broken, match=r"bootstrap\.ign"):
        with_controller(text, the_work())
