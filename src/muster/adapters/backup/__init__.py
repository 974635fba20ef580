"""Backups: everything that matters, from a database and a storage of any kind into one file, and back into any.

`archive` is the file, `tables` are the rows in it, `saving` makes one and `restoring` puts it back. `cli/backup.py`
calls these two.
"""

from .home import Home, home
from .restoring import restore
from .saving import save
from .telling import Progress, Restored, Saved

__all__ = ["Home", "Progress", "Restored", "Saved", "home", "restore", "save"]
