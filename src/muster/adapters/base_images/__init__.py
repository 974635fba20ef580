"""System images as files in a folder: fetched, checked, made smaller. Fulfils `ports.BaseImages`.

`folder` knows how each stands and whose turn it is; `fetching` asks servers, `parts` keeps what has come, `checking`
looks at what is there, `minimals` makes the smaller ones, `files` writes so that nothing is ever half there.
"""

from .fetching import Asking
from .folder import BaseImageFolder, Keeping

__all__ = ["Asking", "BaseImageFolder", "Keeping"]
