"""The `inventory` step: the machine describes itself."""

from collections.abc import Sequence
from uuid import UUID

from muster.client import Client
from muster.domain.errors import Invalid
from muster.ports import Machine

from .step import Reply, replied


async def do(machine: Machine, args: Sequence[str], _: Client) -> Reply:
    """Everything the machine says of itself. The argument is the host's id and must be one."""
    if len(args) != 1 or not _is_id(args[0]):
        raise Invalid(f"the id of the host is needed, {list(args)} was given")
    return replied(await machine.inventory())


def _is_id(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True
