"""Events over REST."""

from muster.api.auth.gate import Subject
from muster.api.call import Answer, Call, serves
from muster.wire.endpoints import events as rows
from muster.wire.events import page_out


@serves(rows.LIST_EVENTS)
async def list_events(call: Call) -> Answer:
    """What was told."""
    wanted = call.query.wanted
    await call.permit(
        Subject(cluster_id=wanted.cluster_id or "", infra_env_id=wanted.infra_env_id or "", host_ids=wanted.host_ids)
    )
    body, headers = page_out(await call.service.store.events(wanted))
    return Answer(body, headers=headers)


@serves(rows.TRIGGER_EVENT)
async def trigger_event(call: Call) -> None:
    """Something to be told that happened elsewhere."""
    event = call.body.event
    await call.permit(
        Subject(
            cluster_id=event.cluster_id or "",
            infra_env_id=event.infra_env_id or "",
            host_ids=(event.host_id,) if event.host_id else (),
        )
    )
    await call.service.engine.tell(event)
