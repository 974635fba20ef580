"""Names in domains that others keep, by way of their APIs. Fulfils `ports.Names`; `runtime/wiring.py` names it."""

from .credentials import Login, SharedLogins
from .route53 import Route53

__all__ = ["Login", "Route53", "SharedLogins"]
