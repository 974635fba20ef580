"""Who is let in. `gate_of` makes the gate that `app.py` takes every call through; AUTH_TYPE says which."""

from muster.api.memories import Memories
from muster.runtime.wiring import Service
from muster.wire.tokens import Keys

from .authenticator import Guarded
from .gate import Gate
from .links import Links
from .local import LocalAuthenticator
from .open import Open

__all__ = ["Gate", "gate_of"]


def gate_of(service: Service, memories: Memories) -> Gate:
    """The gate that the settings ask for. Raises `Invalid` if its keys are of no use."""
    settings = service.settings
    if settings.auth_type == "none":
        return Open()
    keys = Keys(settings.private_key, settings.public_key)
    return Guarded(LocalAuthenticator(keys, service, memories.places), Links(keys))
