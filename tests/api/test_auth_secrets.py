"""Neither the key of the service nor any token is ever written down: not in the log, an error or a command line."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from guarding import Guards
from processes import ServiceProcess
from typer.testing import CliRunner, Result

from muster.cli import app
from muster.domain.setting import rows_of
from muster.runtime.settings import Settings
from parts.keys import Locksmith, new_key

MUSTER = [sys.executable, "-c", "from muster.cli import main; main()"]


def has_secret(said: bytes, smith: Locksmith, *tokens: str) -> bool:
    # The rest of a private key is the public one, which is no secret.
    lines = smith.private.splitlines()[1:2]
    parts = [part for token in tokens for part in token.split(".")[1:]]
    return any(each.encode() in said for each in (*lines, *parts))


def test_no_key_and_no_token_gets_into_log_or_answers(tmp_path):
    smith = Locksmith()
    with ServiceProcess(tmp_path, **smith.environment, LOG_LEVEL="debug") as running:
        command = Path(f"/proc/{running._process.pid}/cmdline").read_bytes()
        guards = Guards(running.url, smith)
        it, stranger = guards.made(), guards.stranger()
        tokens = smith.user(), smith.infra_env(it.infra_env_id), smith.cluster(it.cluster_id), Locksmith().user()
        answers = [
            stranger.v2(f"{call}{'&' if '?' in call else '?'}api_key={token}", **headers).body
            for call in (
                "GET /events?limit=x",
                f"GET {it.cluster}/logs",
                "GET /nosuch",
                "POST /clusters",
                "PUT /events",
            )
            for token in tokens
            for headers in ({"Authorization": f"Bearer {token}"}, {"X-Secret-Key": token}, {"Authorization": token})
        ]
        guards.close()
    assert len(answers) > 50
    assert not [each for each in answers if has_secret(each, smith, *tokens)]
    assert not has_secret(running.log.read_bytes(), smith, *tokens)
    assert not has_secret(command, smith, *tokens)


def run(*words: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*MUSTER, *words], env=environment, capture_output=True, timeout=30, check=False)


def run_here(*words: str, **environment: str) -> Result:
    """The same without a process of its own, which takes most of the time."""
    nothing: dict[str, str | None] = {row.setting.name: None for row in rows_of(Settings)}
    return CliRunner().invoke(app, words, env={**nothing, **environment})


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"EC_PRIVATE_KEY_PEM": ""}, "EC_PRIVATE_KEY_PEM is missing"),
        ({"EC_PRIVATE_KEY_PEM": "MHcCAQEEIIWyXZoScW+NB5U0/8cY14CCkeLx"}, "EC_PRIVATE_KEY_PEM is no private key"),
        ({"EC_PRIVATE_KEY_PEM": new_key()}, "EC_PUBLIC_KEY_PEM is not the public key"),
        ({"AUTH_TYPE": "rhsso"}, "AUTH_TYPE is 'rhsso'; so far it can be none or local"),
        ({"AUTH_TYPE": "loacl"}, "AUTH_TYPE is not right: .*; write none or local"),
        ({"DB_PASS": "ThisIsVerySecret"}, "DB_HOST is missing"),
    ],
)
def test_a_service_that_cannot_be_trusted_does_not_start_and_says_why(tmp_path, changed, named):
    environment = {**Locksmith().environment, **changed}
    ended = run("serve", "--data", str(tmp_path), **environment)
    shown = run_here("config", **environment)
    assert ended.returncode == shown.exit_code == 1
    assert ended.stdout == shown.stdout_bytes == b""
    told, shown_why = ended.stderr.decode(), str(shown.exception)
    assert re.search(f"^muster: {named}", told)
    assert re.search(f"^{named}", shown_why)
    assert "Traceback" not in told
    secrets = [line for line in "\n".join(changed.values()).splitlines() if len(line) > 9]
    assert not any(line in told + shown_why for line in secrets)


def test_the_settings_are_shown_without_secrets():
    smith = Locksmith()
    secrets = {"DB_PASS": "ThisIsVerySecret", "AWS_SECRET_ACCESS_KEY": "ThisIsVerySecret", "AWS_ACCESS_KEY_ID": "me"}
    place = {"DB_HOST": "db", "DB_NAME": "muster", "DB_USER": "me"}
    for words in (["config"], ["config", "--json"], ["config", "--database", "postgresql://me:ThisIsVerySecret@db/x"]):
        ended = run_here(*words, **smith.environment, **secrets, **place)
        assert ended.exit_code == 0, ended.output
        assert b"(secret)" in ended.stdout_bytes
        assert "ThisIsVerySecret" not in ended.output
        assert not has_secret(ended.stdout_bytes, smith)
