"""Programs that users have for real and that are built from their public sources: see `make tools`."""

import os
import shutil
from pathlib import Path

import pytest

TOOLS = Path(__file__).parent.parent.parent / ".tools" / "bin"


def tool(name: str) -> str:
    """Where a program is. A test that needs one that is not there is skipped, and says what is missing."""
    found = shutil.which(name, path=f"{TOOLS}{os.pathsep}{os.environ.get('PATH', '')}")
    if found is None:
        pytest.skip(f"{name} is not installed; `make tools` builds it")
    return found
