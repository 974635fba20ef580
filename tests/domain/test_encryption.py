"""Whether a host can unlock its encrypted disk."""

import msgspec
import pytest

from builders import NOW, a_cluster, a_day2_host, a_pool_view, a_ready_host, a_running_cluster, host_view
from judging import explained, host_verdict, status_of
from muster.domain.clusters import DiskEncryption
from muster.domain.joining import ApiVipReply, TangReply
from muster.domain.roles import Role
from muster.domain.validations.catalogue import assess_host
from muster.domain.verdicts import Status

CHECK = "disk-encryption-requirements-satisfied"
HOST = a_ready_host("h1", 11)
SILENT = HOST.but(inventory=None)
WITHOUT_TPM = HOST.but(inventory=HOST.inventory.but(tpm_version=""))


def encrypting(enable_on: str = "all", mode: str = "tpmv2") -> DiskEncryption:
    return DiskEncryption(enable_on=enable_on, mode=mode)


TANG = encrypting(mode="tang")


@pytest.mark.parametrize(
    ("host", "encryption", "status"),
    [
        (HOST, encrypting("none"), None),
        (HOST, encrypting(""), None),
        (HOST.but(inventory=HOST.inventory.but(tpm_version="1.2")), encrypting(), Status.FAILURE),
        (HOST.but(role=Role.AUTO, suggested_role=Role.WORKER), encrypting("masters"), None),
        (HOST.but(role=Role.AUTO, suggested_role=Role.MASTER), encrypting("masters"), Status.SUCCESS),
        (SILENT, encrypting("none"), None),
        (SILENT, encrypting(), Status.PENDING),
        (HOST.but(role=Role.AUTO), encrypting(), Status.PENDING),
        (HOST, encrypting("workers"), None),
        (HOST, encrypting("masters"), Status.SUCCESS),
        (HOST.but(role=Role.BOOTSTRAP), encrypting("masters,workers"), Status.SUCCESS),
        (HOST.but(role=Role.ARBITER), encrypting("masters,arbiters"), Status.SUCCESS),
        (HOST.but(role=Role.WORKER), encrypting("masters"), None),
        (WITHOUT_TPM, encrypting(), Status.FAILURE),
        (HOST, TANG, Status.PENDING),
        (HOST.but(tang=TangReply(is_success=True)), TANG, Status.SUCCESS),
        (HOST.but(tang=TangReply(error="no route")), TANG, Status.FAILURE),
        (HOST.but(tang=TangReply()), TANG, Status.FAILURE),
        (HOST.but(tang=TangReply(error="failed to find action for step tang")), TANG, None),
    ],
)
def test_a_new_cluster_says_which_disks_are_unlocked_how(host, encryption, status):
    found = host_verdict(CHECK, host, cluster=a_cluster(disk_encryption=encryption))
    assert status_of(found) is status
    assert explained(found)


def handed(luks) -> ApiVipReply:
    text = msgspec.json.encode({"ignition": {"version": "3.2.0"}, "storage": {"luks": luks}}).decode()
    return ApiVipReply(is_success=True, ignition=text)


WITH_TPM = handed([{"clevis": {"tpm2": True}}])
WITH_TANG = handed([{"clevis": {"tang": [{"url": "http://tang"}]}}])


@pytest.mark.parametrize(
    ("host", "encryption", "status"),
    [
        (a_day2_host(), encrypting("none"), None),
        (a_day2_host(), encrypting(), Status.PENDING),
        (a_day2_host(inventory=None), encrypting("none"), Status.PENDING),
        (a_day2_host(api_vip=ApiVipReply(is_success=True)), encrypting("none"), None),
        (a_day2_host(api_vip=handed([])), encrypting(), None),
        (a_day2_host(api_vip=handed([{"name": "root"}])), encrypting(), None),
        (a_day2_host(api_vip=handed([{"clevis": {"tpm2": True}}])), encrypting("none"), Status.SUCCESS),
        (a_day2_host(api_vip=WITH_TPM, inventory=WITHOUT_TPM.inventory), encrypting("none"), Status.FAILURE),
        (a_day2_host(api_vip=WITH_TPM, role=Role.AUTO), encrypting("masters"), Status.SUCCESS),
        (a_day2_host(api_vip=ApiVipReply(ignition="not json")), encrypting(), Status.PENDING),
        (a_day2_host(api_vip=WITH_TANG), encrypting("none"), Status.PENDING),
        (a_day2_host(api_vip=WITH_TANG, tang=TangReply(is_success=True)), encrypting("none"), Status.SUCCESS),
        (a_day2_host(api_vip=handed([{"clevis": {}}])), encrypting("none"), Status.FAILURE),
    ],
)
def test_a_running_cluster_says_in_its_ignition_how_disks_are_unlocked(host, encryption, status):
    found = host_verdict(CHECK, host, cluster=a_running_cluster(disk_encryption=encryption))
    assert status_of(found) is status
    assert explained(found)


def test_a_host_of_the_pool_is_not_asked_how_it_unlocks_its_disk():
    assert CHECK not in assess_host(host_view(a_pool_view(HOST), "h1")).verdicts


@pytest.mark.parametrize(
    ("host", "mode", "source", "measured", "field"),
    [
        (WITHOUT_TPM, "tpmv2", "inventory", "none", "disk_encryption.mode"),
        (HOST.but(tang=TangReply(error="no route")), "tang", "tang-connectivity-check", "no route", "tang_servers"),
        (HOST.but(role=Role.AUTO), "tpmv2", "user input", "auto-assign", "host_role"),
    ],
)
def test_what_is_wrong_is_traced_to_its_source_and_to_the_field_that_helps(host, mode, source, measured, field):
    heard = host.but(heard_at={"inventory": NOW, "tang-connectivity-check": NOW})
    evidence = host_verdict(CHECK, heard, cluster=a_cluster(disk_encryption=encrypting(mode=mode))).evidence
    assert (evidence.source, evidence.measured) == (source, measured)
    assert field in evidence.fix
    assert evidence.observed_at == (None if source == "user input" else NOW)
