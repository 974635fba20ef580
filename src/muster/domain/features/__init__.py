"""What may be asked for in which version, on which architecture and platform, and together with what.

`FEATURES` is the whole table; `listing` shows it to clients, `enforcement` holds users to it.
"""

from .images import IMAGES
from .networks import NETWORKS
from .operators import OPERATORS
from .platforms import PLATFORMS
from .topology import TOPOLOGY

FEATURES = (*TOPOLOGY, *PLATFORMS, *NETWORKS, *IMAGES, *OPERATORS)
"""Every feature there is."""
