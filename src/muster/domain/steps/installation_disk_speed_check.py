"""The `installation-disk-speed-check` step: whether the disk is fast enough for etcd."""

from collections.abc import Iterable

from muster.domain import events, host_events
from muster.domain.hosts import DiskSpeed, Host
from muster.domain.record import Record
from muster.domain.triggers import Replied
from muster.domain.views import HostView

from .step import Args, Step


class DiskSpeedRequest(Record):
    """The disk to try out."""

    path: str


class DiskSpeedReply(Record):
    """How long it takes to write safely."""

    io_sync_duration: int = 0
    path: str = ""


def _ask(view: HostView) -> Args | None:
    host, disk = view.host, view.host.installation_disk_id
    boot = host.inventory.boot if host.inventory else None
    persistent = boot is not None and boot.device_type == "persistent"
    if not disk or disk in host.disk_speeds or persistent or host.keeps_partitions:
        return None
    return (DiskSpeedRequest(path=disk), f"{view.policy.disk_check.total_seconds():.2f}")


def _learn(view: HostView, reply: DiskSpeedReply) -> Host:
    return _noted(view.host, reply.path, DiskSpeed(tested=True, speed_ms=reply.io_sync_duration))


def _fail(host: Host, happened: Replied) -> Host:
    return _noted(host, host.installation_disk_id, DiskSpeed(tested=True, exit_code=happened.exit_code))


def _noted(host: Host, disk: str, speed: DiskSpeed) -> Host:
    return host.but(disk_speeds={**host.disk_speeds, disk: speed})


def _tells(before: HostView, after: HostView, reply: DiskSpeedReply) -> Iterable[events.Event]:
    """A disk is slow for the part the host plays in OpenShift itself; what operators need is not asked here."""
    limit, speed = after.base_figures.installation_disk_speed_threshold_ms, reply.io_sync_duration
    if reply.path in before.host.disk_speeds or not 0 < limit < speed:
        return []
    return [host_events.disk_speed_slower_than_supported(after.host, reply.path, speed)]


STEP = Step(
    kind="installation-disk-speed-check",
    ask=_ask,
    reads=DiskSpeedReply,
    learn=_learn,
    fail=_fail,
    tells=_tells,
    tolerant=True,
)
