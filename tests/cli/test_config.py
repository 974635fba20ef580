"""`muster config` and `muster token` as a person runs them."""

import json

import pytest
from typer.testing import CliRunner

from muster.cli import app
from muster.cli.config import without_password
from muster.domain.errors import Invalid
from muster.domain.record import SECRET
from muster.domain.setting import rows_of
from muster.runtime.settings import FAMILIES, Settings, members
from muster.wire.tokens import Claims
from parts.keys import Locksmith

ENV = "6d4c3bb6-70a4-4d4c-a1f6-9ab3c9a3b3f1"


@pytest.fixture
def run(monkeypatch):
    """Runs a command in an environment that has nothing but what is given."""

    def invoke(*words: str, **environment: str) -> str:
        for row in rows_of(Settings):
            monkeypatch.delenv(row.setting.name, raising=False)
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        ended = CliRunner().invoke(app, list(words), catch_exceptions=False)
        assert ended.exit_code == 0, ended.output
        return ended.stdout

    return invoke


def lines(said: str) -> dict[str, dict[str, str]]:
    return {line.pop("name"): line for line in json.loads(said)}


def test_every_setting_is_shown_with_its_meaning(run):
    shown = lines(run("config", "--json"))
    names = [row.setting.name for row in rows_of(Settings)]
    expected = [each for name in names for each in (members(name) if name in FAMILIES else [name])]
    assert list(shown) == expected
    assert {line["source"] for line in shown.values()} == {"default"}
    assert all(line["meaning"].endswith(".") for line in shown.values())
    assert shown["MUSTER_PORT"] == {"value": "8090", "source": "default", "meaning": "The port to listen on."}
    assert shown["HOST_STAGE_REBOOTING_TIMEOUT"]["value"] == "40m"


def test_it_is_told_where_a_value_comes_from(run):
    shown = lines(
        run(
            *("config", "--json", "--port", "9000"),
            MUSTER_PORT="9001",
            NTP_DEFAULT_SERVER="time.example",
            HOST_STAGE_REBOOTING_TIMEOUT="1h",
            CNV_MODE="false",
            ALLOWED_DOMAINS="b,a",
            LOG_LEVEL="",
        )
    )
    told = {name: (line["value"], line["source"]) for name, line in shown.items() if line["source"] != "default"}
    assert told == {
        "MUSTER_PORT": ("9000", "command line"),
        "NTP_DEFAULT_SERVER": ("time.example", "environment"),
        "HOST_STAGE_REBOOTING_TIMEOUT": ("1h", "environment"),
        "CNV_MODE": ("false", "environment"),
        "ALLOWED_DOMAINS": ("a,b", "environment"),
    }


def test_the_table_has_names_values_sources_and_meanings_in_full(run):
    said = run("config", NTP_DEFAULT_SERVER="time.example", KAFKA_CLIENT_ID="7")
    line = next(each for each in said.splitlines() if "NTP_DEFAULT_SERVER" in each)
    for words in ("time.example", "environment", "A time source that every machine gets besides its own."):
        assert words in line
    assert "FINALIZING_STAGE_WAITING_FOR_OLM_OPERATOR_SETUP_JOBS_TIMEOUT" in said
    assert "KAFKA_CLIENT_ID is ignored: it belongs to a part that is not there yet" in said


def test_secrets_are_hidden_wherever_they_are(run):
    smith = Locksmith()
    said = run(
        *("config", "--json", "--database", "postgresql://me:hush@db/x"),
        **smith.environment,
        AWS_ACCESS_KEY_ID="me",
        AWS_SECRET_ACCESS_KEY="hush",
        DB_PASS="hush",
    )
    shown = lines(said)
    assert shown["MUSTER_DATABASE"]["value"] == "postgresql://me:(secret)@db/x"
    for name in ("EC_PRIVATE_KEY_PEM", "AWS_SECRET_ACCESS_KEY", "DB_PASS"):
        assert shown[name]["value"] == "(secret)"
    assert "hush" not in said


@pytest.mark.parametrize(
    ("environment", "named"),
    [
        ({"HW_VALIDATOR_REQUIREMENTS": '[{"version":"4.20"}]'}, "HW_VALIDATOR_REQUIREMENTS"),
        ({"AUTH_TYPE": "local", "EC_PRIVATE_KEY_PEM": "x"}, "EC_PRIVATE_KEY_PEM is no private key"),
        ({"MUSTER_PORT": "x"}, "MUSTER_PORT"),
    ],
)
def test_settings_with_which_the_service_would_not_start_are_refused(run, environment, named):
    with pytest.raises(Invalid, match=named):
        run("config", **environment)


# Tokens


def test_tokens_are_made_with_the_key_of_the_service(run):
    smith = Locksmith()
    key = {"EC_PRIVATE_KEY_PEM": smith.private}
    assert run("token", "infra-env", ENV, **key) == smith.infra_env(ENV) + "\n"
    assert run("token", "cluster", ENV, **key) == smith.cluster(ENV) + "\n"
    assert run("token", "user", "bob", **key) == smith.user("bob", "user") + "\n"
    words = ("token", "user", "bob", "--role", "admin", "--email", "b@x.y", "--org", "17")
    assert smith.keys.read(run(*words, **key).strip()) == Claims(user="bob", role="admin", email="b@x.y", org_id="17")


def test_a_users_token_can_be_made_to_end(run):
    smith = Locksmith()
    said = run("token", "user", "bob", "--lasts", "12h", EC_PRIVATE_KEY_PEM=smith.private)
    claims = smith.keys.read(said.strip())
    assert claims.exp is not None
    with pytest.raises(Invalid, match="--lasts is 'soon'; write a time"):
        run("token", "user", "bob", "--lasts", "soon", EC_PRIVATE_KEY_PEM=smith.private)


def test_without_the_key_there_are_no_tokens(run):
    with pytest.raises(Invalid, match="EC_PRIVATE_KEY_PEM is not set"):
        run("token", "user", "bob")


def test_signed_addresses_are_shown_without_their_signatures():
    entries = '[{"url":"https://mirror/a.iso?sig=abc#x"},{"url":"http://b/c.iso"}]'
    assert without_password(entries) == f'[{{"url":"https://mirror/a.iso?{SECRET}#x"}},{{"url":"http://b/c.iso"}}]'
