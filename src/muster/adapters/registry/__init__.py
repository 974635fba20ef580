"""Images of registries, read without any tool: references, logins, mirrors, layers.

`Registry` is the way in; `adapters/releases` makes releases of what it finds.
"""

from .client import Image, Registry
from .doors import LockedOut
from .manifests import Blob
from .mirrors import Mirror, Mirrored, mirrors_in
from .references import Reference, reference
from .web import Reaching

__all__ = [
    "Blob",
    "Image",
    "LockedOut",
    "Mirror",
    "Mirrored",
    "Reaching",
    "Reference",
    "Registry",
    "mirrors_in",
    "reference",
]
