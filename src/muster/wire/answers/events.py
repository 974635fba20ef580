"""What answers about events look like."""

from msgspec import UNSET

from muster.domain.events import Severity
from muster.domain.record import Record

from .forms import GivenId, Maybe, Moment


class EventOutV1(Record, kw_only=True):
    """Something that was told, as it was told before."""

    event_time: Moment
    message: str
    severity: Severity
    cluster_id: Maybe[GivenId] = UNSET
    host_id: Maybe[GivenId] = UNSET
    props: Maybe[str] = UNSET


class EventOut(EventOutV1, kw_only=True):
    """Something that was told."""

    name: str
    infra_env_id: Maybe[GivenId] = UNSET
