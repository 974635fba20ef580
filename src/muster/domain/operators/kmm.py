"""Kernel Module Management: modules are built for and loaded into the kernel of nodes."""

from typing import TYPE_CHECKING

from muster.domain.verdicts import Verdict

from .gpus import drivers_can_be_loaded
from .operator import Operator

if TYPE_CHECKING:  # views add up what operators need
    from muster.domain.views import HostView

TITLE = "KMM"


def on_host(view: "HostView") -> Verdict:
    """The host can load what is built for it."""
    return drivers_can_be_loaded(view, TITLE)


OPERATOR = Operator(
    name="kmm", title=TITLE, namespace="openshift-kmm", subscription="kernel-module-management", on_host=on_host
)
