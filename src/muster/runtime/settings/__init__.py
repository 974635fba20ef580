"""Every setting of the service: one row each, from the environment or the command line.

`table` has the rows, `forms` says how their values are written, `reading` reads them once at the start, `checks` tells
what no type can say, `deciding` turns them into the policy that decisions depend on. `cli` and `wiring` use them.
"""

from .checks import doubts
from .deciding import SAME, policy_from
from .families import FAMILIES, members
from .forms import duration, form, written
from .ignored import IGNORED, LATER
from .reading import Source, read_settings, source_of
from .table import Settings

__all__ = [
    "FAMILIES",
    "IGNORED",
    "LATER",
    "SAME",
    "Settings",
    "Source",
    "doubts",
    "duration",
    "form",
    "members",
    "policy_from",
    "read_settings",
    "source_of",
    "written",
]
