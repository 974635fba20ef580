"""Settings: read from the environment, overruled by name, refused with the name of what is wrong."""

from datetime import timedelta

import pytest

from muster.domain.errors import Invalid
from muster.runtime.settings import policy_from, read_settings

SMALL = '{"cpu_cores":3,"ram_mib":1,"disk_size_gb":2}'


def test_without_any_setting_everything_lies_in_the_data_folder(tmp_path):
    settings = read_settings({}, data=str(tmp_path))
    assert settings.port == 8090
    assert settings.database_url == f"sqlite:///{tmp_path}/muster.db"
    assert settings.storage_url == f"{tmp_path}/files"


def test_the_environment_is_read_and_the_command_line_wins():
    settings = read_settings({"MUSTER_PORT": "9000", "LOG_LEVEL": "debug"}, port=9001)
    assert (settings.port, settings.log_level) == (9001, "debug")


@pytest.mark.parametrize(
    ("environment", "named"),
    [
        ({"MUSTER_PORT": "many"}, "MUSTER_PORT"),
        ({"MUSTER_PORT": "70000"}, "MUSTER_PORT"),
        ({"AUTH_TYPE": "rhsso"}, "AUTH_TYPE"),
        ({"MUSTER_DATABASE": "mysql://x"}, "MUSTER_DATABASE"),
        ({"DISABLED_HOST_VALIDATIONS": "no-such-check"}, "DISABLED_HOST_VALIDATIONS"),
        ({"DISABLED_CLUSTER_VALIDATIONS": "no-such-check"}, "DISABLED_CLUSTER_VALIDATIONS"),
        ({"RELEASE_IMAGES": "{"}, "RELEASE_IMAGES"),
        ({"RELEASE_IMAGES": '[{"url": "x"}]'}, "RELEASE_IMAGES"),
    ],
)
def test_a_broken_setting_is_refused_by_its_name(environment, named):
    with pytest.raises(Invalid, match=named):
        read_settings(environment)


@pytest.mark.parametrize(
    ("environment", "named"),
    [
        ({"HOST_MAX_DISCONNECTION_TIME": "soon"}, "HOST_MAX_DISCONNECTION_TIME"),
        (
            {"HW_VALIDATOR_REQUIREMENTS": '[{"version":"default","master":{"cpu_cores":"x"}}]'},
            "HW_VALIDATOR_REQUIREMENTS",
        ),
    ],
)
def test_a_broken_policy_is_refused_by_its_name(environment, named):
    with pytest.raises(Invalid, match=named):
        policy_from(read_settings(environment))


@pytest.mark.parametrize(("text", "seconds"), [("90s", 90), ("3m", 180), ("1h30m", 5400), ("1.5m", 90), ("500ms", 0.5)])
def test_times_are_written_as_people_write_them(text, seconds):
    policy = policy_from(read_settings({"HOST_MAX_DISCONNECTION_TIME": text}))
    assert policy.disconnection == timedelta(seconds=seconds)


def test_what_is_set_reaches_the_decisions():
    policy = policy_from(
        read_settings(
            {
                "DISABLED_HOST_VALIDATIONS": "ntp-synced, mtu-valid",
                "HW_VALIDATOR_REQUIREMENTS": f'[{{"version":"default","worker":{SMALL}}}]',
                "IMAGE_SERVICE_BASE_URL": "http://images",
                "PUBLIC_CONTAINER_REGISTRIES": "quay.io",
            }
        )
    )
    assert policy.disabled_host_validations == {"ntp-synced", "mtu-valid"}
    assert policy.requirements.worker.cpu_cores == 3
    assert policy.image_service_url == "http://images"
    assert policy.public_registries == {"quay.io"}
