"""The `stop-installation` step: whatever installs on the host is ended."""

from .step import Step

STEP = Step(kind="stop-installation", ask=lambda _: ())
