"""Rules for Ignition configurations that users lay over ours: of the discovery image, and of a host.

`infra_envs.py` and `host_overrides.py` apply them.
"""

import msgspec

from .fields import Problems
from .ignition_spec import Config, spec_problems

VERSIONS = ("3.1.0", "3.2.0")
"""What can be merged with the configurations made here."""


def ignition_problems(field: str, text: str) -> Problems:
    """A text is a configuration that can be merged; nothing is asked of an empty one. It may hold secrets."""
    if not text:
        return
    known = " or ".join(VERSIONS)
    try:
        config = msgspec.json.decode(text, type=Config)
    except (msgspec.DecodeError, RecursionError) as error:
        yield f"{field}: must be an Ignition configuration of version {known} as JSON text: {error}"
        return
    if config.ignition.version not in VERSIONS:
        yield f"{field}: ignition.version is {config.ignition.version!r}, and must be {known}"
        return
    yield from (f"{field}: {path}: {sentence}" for path, sentence in spec_problems(config))
