"""The real Ignition's judgement on a config: Debian's package `ignition` brings `ignition-validate`."""

import json
import shutil
import subprocess
from base64 import b64decode

import pytest

VALIDATOR = shutil.which("ignition-validate")

needs_ignition = pytest.mark.skipif(
    VALIDATOR is None, reason="ignition-validate is absent; it comes with Debian's package `ignition`"
)


def complaints(config: bytes) -> str:
    """What Ignition has to say against a config, warnings included; nothing if it is fine."""
    assert VALIDATOR is not None
    judged = subprocess.run([VALIDATOR, "-"], input=config, capture_output=True, check=False)
    said = (judged.stdout + judged.stderr).decode().strip()
    return said or ("" if judged.returncode == 0 else f"exit code {judged.returncode}")


def files_of(config: bytes) -> dict[str, str]:
    """The files that a config makes, by their paths."""
    entries = json.loads(config).get("storage", {}).get("files", ())
    return {entry["path"]: b64decode(entry["contents"]["source"].partition(",")[2]).decode() for entry in entries}


def units_of(config: bytes) -> dict[str, str]:
    """The units that a config starts, by their names; those of the system itself are empty."""
    return {entry["name"]: entry.get("contents", "") for entry in json.loads(config)["systemd"]["units"]}
