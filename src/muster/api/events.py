"""Events over REST."""

from muster.api.call import Answer, Call, serves
from muster.wire.endpoints import events as rows
from muster.wire.events import page_out


@serves(rows.LIST_EVENTS)
async def list_events(call: Call) -> Answer:
    """What was told."""
    body, headers = page_out(await call.service.store.events(call.query.wanted))
    return Answer(body, headers=headers)
