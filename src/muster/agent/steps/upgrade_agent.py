"""The `upgrade-agent` step: the image that the service expects is fetched; the agent then starts anew from it."""

from collections.abc import Sequence

from muster.client import Client
from muster.domain.steps.upgrade_agent import UpgradeReply, UpgradeRequest
from muster.machine import Machine

from .step import Reply, first, replied

PATIENCE = 3600.0
"""Seconds within which the image must come down."""


async def do(machine: Machine, args: Sequence[str], _: Client) -> Reply:
    """Fetch the image. Whether that worked is what the reply says; the step itself does not fail."""
    image = first(args, UpgradeRequest).agent_image
    pull = await machine.pull(image, PATIENCE)
    return replied(UpgradeReply(agent_image=image, result="success" if pull.fetched else "failure"))
