"""The real Ignition's judgement on a config: Debian's package `ignition` brings `ignition-validate` and itself."""

import json
import os
import shutil
import subprocess
from base64 import b64decode, b64encode
from pathlib import Path
from typing import Any

import pytest

VALIDATOR = shutil.which("ignition-validate")
IGNITION = "/usr/lib/dracut/modules.d/30ignition/ignition"

needs_ignition = pytest.mark.skipif(
    VALIDATOR is None, reason="ignition-validate is absent; it comes with Debian's package `ignition`"
)


def complaints(config: bytes) -> str:
    """What Ignition has to say against a config, warnings included; nothing if it is fine."""
    assert VALIDATOR is not None
    judged = subprocess.run([VALIDATOR, "-"], input=config, capture_output=True, check=False)
    said = (judged.stdout + judged.stderr).decode().strip()
    return said or ("" if judged.returncode == 0 else f"exit code {judged.returncode}")


def merged_by_ignition(below: dict[str, Any], above: dict[str, Any], folder: Path) -> Any:
    """Two configs as one, as Ignition itself merges them when a machine starts; without parts that say nothing."""
    source = f"data:;base64,{b64encode(json.dumps(above).encode()).decode()}"
    head = {**below["ignition"], "config": {"merge": [{"source": source}]}}
    config, cache = folder / "config.ign", folder / "cache.json"
    config.write_text(json.dumps(below | {"ignition": head}))
    places = (f"--root={folder}", f"--config-cache={cache}", f"--state-file={folder}/state", f"--neednet={folder}/net")
    command = [IGNITION, "--platform=file", "--stage=fetch", "--log-to-stdout", *places]
    environment = {**os.environ, "IGNITION_CONFIG_FILE": str(config)}
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout
    whole = json.loads(cache.read_text())
    del whole["ignition"]["config"], whole["ignition"]["version"]
    cache.unlink()
    return told(whole)


def told(value: Any) -> Any:
    """A config without the parts that say nothing: empty objects, empty lists, null."""
    if isinstance(value, dict):
        kept = {key: told(each) for key, each in value.items()}
        return {key: each for key, each in kept.items() if each not in ({}, [], None)}
    return [told(each) for each in value] if isinstance(value, list) else value


def files_of(config: bytes) -> dict[str, str]:
    """The files that a config makes, by their paths."""
    entries = json.loads(config).get("storage", {}).get("files", ())
    return {entry["path"]: b64decode(entry["contents"]["source"].partition(",")[2]).decode() for entry in entries}


def units_of(config: bytes) -> dict[str, str]:
    """The units that a config starts, by their names; those of the system itself are empty."""
    return {entry["name"]: entry.get("contents", "") for entry in json.loads(config)["systemd"]["units"]}
