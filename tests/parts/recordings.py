"""Real exchanges with the original service, a line each; free text in them is blanked."""

import gzip
import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent.parent / "recordings"


def recorded(name: str) -> list[dict[str, Any]]:
    """The exchanges of one recording, in order."""
    with gzip.open(FOLDER / f"{name}.jsonl.gz", "rt") as lines:
        return [json.loads(line) for line in lines]
