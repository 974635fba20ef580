"""Settings: read from the environment, overruled by name, refused with the name of what is wrong."""

import re
from datetime import timedelta

import pytest

from muster.domain.errors import Invalid
from muster.domain.inputs.requirements import SETTING
from muster.domain.policy import Policy
from muster.domain.progress import FinalizingStage, Stage
from muster.domain.setting import rows_of
from muster.runtime.settings import FAMILIES, SAME, Settings, doubts, members, policy_from, read_settings

SMALL = '{"cpu_cores":3,"ram_mib":1,"disk_size_gb":2}'


def a_policy(**environment):
    return policy_from(read_settings(environment))


def test_without_any_setting_everything_lies_in_the_data_folder(tmp_path):
    settings = read_settings({}, data=str(tmp_path))
    assert settings.port == 8090
    assert settings.database_url == f"sqlite:///{tmp_path}/muster.db"
    assert settings.storage_url == f"{tmp_path}/files"


def test_without_any_setting_decisions_are_made_as_shipped():
    assert a_policy() == Policy().but(image_service_url="http://127.0.0.1:8090")


def test_the_environment_is_read_and_the_command_line_wins():
    settings = read_settings({"MUSTER_PORT": "9000", "LOG_LEVEL": "debug"}, port=9001)
    assert (settings.port, settings.log_level) == (9001, "debug")


@pytest.mark.parametrize(
    ("environment", "named"),
    [
        ({"MUSTER_PORT": "many"}, "MUSTER_PORT is not right: .*; write a port"),
        ({"MUSTER_PORT": "70000"}, "MUSTER_PORT"),
        ({"AUTH_TYPE": "rhsso"}, "AUTH_TYPE"),
        ({"MUSTER_DATABASE": "mysql://x"}, "MUSTER_DATABASE"),
        ({"DISABLED_HOST_VALIDATIONS": "no-such-check"}, "DISABLED_HOST_VALIDATIONS"),
        ({"DISABLED_CLUSTER_VALIDATIONS": "no-such-check"}, "DISABLED_CLUSTER_VALIDATIONS"),
        ({"RELEASE_IMAGES": "{"}, "RELEASE_IMAGES"),
        ({"RELEASE_IMAGES": '[{"url": "x"}]'}, "RELEASE_IMAGES"),
        ({"ENABLE_SOFT_TIMEOUTS": "perhaps"}, "ENABLE_SOFT_TIMEOUTS is not right: .*; write true or false"),
        ({"AGENT_INVENTORY_MAX_SIZE": "-1"}, "AGENT_INVENTORY_MAX_SIZE is not right: .*; write a number of bytes"),
        ({"CNV_MODE": "perhaps"}, "^CNV_MODE is not right: .*; write true or false"),
        ({"HW_VALIDATOR_REQUIREMENTS": '{"version": "default"}'}, "HW_VALIDATOR_REQUIREMENTS is not right"),
        (
            {"HW_VALIDATOR_REQUIREMENTS": '[{"version":"default","master":{"cpu_cores":"x"}}]'},
            r"HW_VALIDATOR_REQUIREMENTS\[0\].master.cpu_cores",
        ),
        (
            {"HW_VALIDATOR_REQUIREMENTS": '[{"version":"default","wroker":{}}]'},
            r"HW_VALIDATOR_REQUIREMENTS\[0\] is not right: .*wroker",
        ),
    ],
)
def test_a_broken_setting_is_refused_by_its_name(environment, named):
    with pytest.raises(Invalid, match=named):
        read_settings(environment)


def test_a_broken_policy_is_refused_by_its_name():
    with pytest.raises(Invalid, match=r"HW_VALIDATOR_REQUIREMENTS\[0\].master is missing"):
        a_policy(HW_VALIDATOR_REQUIREMENTS=f'[{{"version":"default","worker":{SMALL}}}]')


# Times


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90s", 90), ("3m", 180), ("1h30m", 5400), ("1.5m", 90), ("500ms", 0.5)],
)
def test_times_are_written_as_people_write_them(text, seconds):
    assert a_policy(HOST_MAX_DISCONNECTION_TIME=text).disconnection == timedelta(seconds=seconds)


ROWS = list(rows_of(Settings))
TIMES = [row.setting.name for row in ROWS if row.kind is timedelta]
STAGES = [name for family in FAMILIES for name in members(family)]


@pytest.mark.parametrize("name", [*TIMES, *STAGES])
@pytest.mark.parametrize("text", ["soon", "5", "-3m", "3m then", "0s", "99999999999999h"])
def test_a_time_that_is_none_is_refused_by_its_name(name, text):
    with pytest.raises(Invalid, match=f"{name} is '{text}'.*write a time such as"):
        read_settings({name: text})


@pytest.mark.parametrize(
    ("environment", "host", "cluster"),
    [
        ({}, 17, 18),
        ({"IMAGE_AVAILABILITY_TIMEOUT": "1m"}, 9, 10),
        ({"IMAGE_AVAILABILITY_TIMEOUT": "1m", "DISK_CHECK_TIMEOUT": "20m"}, 21, 22),
        ({"PREPARE_FOR_INSTALLATION_TIMEOUT": "1h"}, 17, 60),
        ({"PREPARE_FOR_INSTALLATION_HOST_TIMEOUT": "1h"}, 60, 18),
        ({"PREPARE_FOR_INSTALLATION_TIMEOUT": "1m", "PREPARE_FOR_INSTALLATION_HOST_TIMEOUT": "1m"}, 17, 18),
    ],
)
def test_preparing_may_take_at_least_as_long_as_what_it_waits_for(environment, host, cluster):
    policy = a_policy(**environment)
    assert policy.host_preparation == timedelta(minutes=host)
    assert policy.cluster_preparation == timedelta(minutes=cluster)


def test_the_times_of_logs_are_set_for_hosts_and_clusters_apart():
    policy = a_policy(
        HOST_LOG_PENDING_TIMEOUT="1m",
        HOST_LOG_COLLECTION_TIMEOUT="2m",
        LOG_PENDING_TIMEOUT="3m",
        LOG_COLLECTION_TIMEOUT="4m",
    )
    minutes = [
        [time.total_seconds() / 60 for time in (limits.first, limits.upload, limits.more)]
        for limits in (policy.host_logs, policy.cluster_logs)
    ]
    assert minutes == [[1, 2, 1], [3, 4, 4]]


def test_every_stage_that_has_a_limit_can_be_given_another():
    policy = a_policy(
        HOST_STAGE_WRITING_IMAGE_TO_DISK_TIMEOUT="45m",
        FINALIZING_STAGE_WAITING_FOR_OLM_OPERATOR_SETUP_JOBS_TIMEOUT="2h",
    )
    assert policy.stage_limits == {Stage.WRITING: timedelta(minutes=45)}
    assert policy.finalizing_limits == {FinalizingStage.OLM_JOBS: timedelta(hours=2)}
    for family, kind in (("HOST_STAGE_<STAGE>_TIMEOUT", Stage), ("FINALIZING_STAGE_<STAGE>_TIMEOUT", FinalizingStage)):
        without = {Stage.DONE, Stage.FAILED} if kind is Stage else set()
        assert set(members(family).values()) == set(kind) - without


# What reaches the decisions

CHANGED = {bool: lambda shipped: str(not shipped), str: lambda _: "x", timedelta: lambda _: "7h"}


@pytest.mark.parametrize(
    "row", [row for row in ROWS if row.field in SAME and row.kind in CHANGED], ids=lambda row: row.setting.name
)
def test_a_setting_that_decisions_depend_on_reaches_them(row):
    environment = {row.setting.name: CHANGED[row.kind](row.setting.default)}
    policy = a_policy(**environment)
    assert getattr(policy, row.field) == getattr(read_settings(environment), row.field)
    assert getattr(policy, row.field) != getattr(Policy(), row.field)


SET_OTHERWISE = {
    "catalogue",
    "image_service_url",
    "host_logs",
    "cluster_logs",
    "requirements",
    "managed_domains",
    "service_url",
    "plain_service_url",
    "plain_image_service_url",
    "service_fips",
    "trust",
}
FIXED = {"bootstrap_grace", "start_of_installation", "reclaim", "dhcp_lease"}


def test_nothing_that_decisions_depend_on_is_forgotten():
    assert set(Policy.__struct_fields__) == SAME | SET_OTHERWISE | FIXED


@pytest.mark.parametrize("name", sorted(SAME - {"cluster_preparation", "host_preparation"}))
def test_a_setting_is_shipped_as_decisions_are(name):
    assert getattr(Settings(), name) == getattr(Policy(), name)


def test_what_is_set_reaches_the_decisions():
    policy = a_policy(
        DISABLED_HOST_VALIDATIONS="ntp-synced, mtu-valid,",
        HW_VALIDATOR_REQUIREMENTS=f'[{{"version":"default","master":{SMALL},"worker":{SMALL},"sno":{SMALL}}}]',
        IMAGE_SERVICE_BASE_URL="http://images",
        PUBLIC_CONTAINER_REGISTRIES="quay.io",
        EDGE_WORKERS_PRODUCT_NAMES="Small One,Small Two",
        AGENT_INVENTORY_MAX_SIZE="1000",
        MUST_GATHER_IMAGES='{"4.20": {"ocp": "quay.io/gather"}}',
        CNV_MODE="false",
        CNV_SUPPORTED_GPUS="10de:1",
    )
    assert policy.disabled_host_validations == {"ntp-synced", "mtu-valid"}
    assert policy.requirements.default.worker.cpu_cores == 3
    assert policy.image_service_url == "http://images"
    assert policy.public_registries == {"quay.io"}
    assert policy.edge_products == {"Small One", "Small Two"}
    assert policy.inventory_max_size == 1000
    assert policy.must_gather_images == {"4.20": {"ocp": "quay.io/gather"}}
    assert policy.operators == Policy().operators.but(cnv_mode=False, cnv_supported_gpus=frozenset({"10de:1"}))


def test_images_are_asked_for_where_the_service_is_unless_said_otherwise():
    assert a_policy(SERVICE_BASE_URL="http://here").image_service_url == "http://here"


def test_an_empty_setting_is_none():
    assert read_settings(dict.fromkeys([*TIMES, *STAGES, "MUSTER_PORT", "RELEASE_IMAGES"], "")) == Settings()


# What has no effect


def test_a_setting_without_effect_is_told():
    environment = {
        "DISABLED_STEPS": "inventory,tea,coffee",
        "HOST_STAGE_DONE_TIMEOUT": "1h",
        "HOST_STAGE_REBOOTING_TIMEOUT": "1h",
        "FINALIZING_STAGE_WAITING_TIMEOUT": "1h",
        "HOST_STAGE": "x",
    }
    settings = read_settings(environment)
    assert [doubt.split(",")[0].split(":")[0] for doubt in doubts(settings, environment)] == [
        "DISABLED_STEPS names 'coffee'",
        "DISABLED_STEPS names 'tea'",
        "HOST_STAGE_DONE_TIMEOUT is ignored",
        "FINALIZING_STAGE_WAITING_TIMEOUT is ignored",
    ]
    assert policy_from(settings).disabled_steps >= {"inventory"}


def test_the_requirements_know_the_name_they_are_set_by():
    assert SETTING in {row.setting.name for row in ROWS}


def test_events_can_be_told_less_often():
    policy = a_policy(EVENT_RATE_LIMITS='{"host_status_updated": "30m", "upgrade_agent_failed": "2h"}')
    hours = {"host_status_updated": 0.5, "upgrade_agent_failed": 2, "upgrade_agent_started": 1}
    assert {name: policy.event_limit(name).total_seconds() / 3600 for name in hours} == hours
    assert policy.event_limit("cluster_status_updated") is None


@pytest.mark.parametrize("text", ["30m", '["30m"]', '{"host_status_updated": 30}', '{"host_status_updated": "soon"}'])
def test_limits_of_events_that_cannot_be_read_are_refused(text):
    with pytest.raises(Invalid, match="EVENT_RATE_LIMITS"):
        read_settings({"EVENT_RATE_LIMITS": text})


def test_all_that_is_wrong_is_told_at_once():
    unreadable = {"MUSTER_PORT": "many", "ENABLE_AUTO_ASSIGN": "perhaps", "RELEASE_IMAGES": "{", "CNV_MODE": "perhaps"}
    unreadable["HW_VALIDATOR_REQUIREMENTS"] = '[{"version":"default","wroker":{}}]'
    with pytest.raises(Invalid) as refused:
        read_settings(unreadable)
    told = str(refused.value).splitlines()
    assert sorted(re.split(r"\W", each)[0] for each in told) == sorted(unreadable)


def test_all_that_does_not_go_together_is_told_at_once():
    with pytest.raises(Invalid) as refused:
        read_settings({"DB_HOST": "here", "AUTH_TYPE": "local", "HTTPS_KEY_FILE": "/nowhere"})
    told = str(refused.value).splitlines()
    assert [re.split(r"\W", each)[0] for each in told] == [
        "DB_NAME",
        "EC_PRIVATE_KEY_PEM",
        "HTTPS_CERT_FILE",
        "HTTPS_KEY_FILE",
    ]
