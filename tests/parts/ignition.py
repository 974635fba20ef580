"""The real Ignition's judgement on a config: Debian's package `ignition` brings `ignition-validate`."""

import shutil
import subprocess

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
