"""What the core alone costs: deciding about a small cluster never seen before, and about a large one well known.

`budgets.py` prints the figures. No server and no database take part; the time is this process's own.
"""

import time
from collections.abc import Callable, Iterable
from typing import TypeVar

import msgspec

from builders import INFRA_ENV_ID, a_mesh, a_policy, a_ready_cluster, a_ready_host, a_report, a_view
from muster.domain.clusters import ClusterState
from muster.domain.connectivity import ConnectivityReport
from muster.domain.decide import decide
from muster.domain.hosts import Host, VipCheck
from muster.domain.inventory import Interface
from muster.domain.networks import Vip
from muster.domain.record import Record
from muster.domain.roles import Role
from muster.domain.triggers import Registered, Replied, Ticked
from muster.domain.views import View

SMALL, LARGE = 5, 500
TIMES = 20
MASTERS = 3
VIPS = {"api": "10.0.0.5", "ingress": "10.0.0.6"}

C = TypeVar("C")


class Loaded(Record):
    """Hosts as they come from a store."""

    hosts: tuple[Host, ...]


def core_figures() -> dict[str, float]:
    """Milliseconds of processor time for each act, the best of some."""
    stored = msgspec.json.encode(Loaded(hosts=_hosts(SMALL)))
    unknown = [_view(msgspec.json.decode(stored, type=Loaded).hosts) for _ in range(TIMES)]
    large = _settled(_view(_hosts(LARGE)))
    replies = [_replied(large, rtt_ms=1 + 0.1 * number) for number in range(1, TIMES)]
    return {
        "assess": _best(_settled, unknown),
        "settle": _best(lambda reply: decide(large, reply), replies),
        "regroup": _best(lambda reply: decide(large, reply), [_alone(large)] * 5),
        "newcomer": _best(lambda newcomer: decide(large, newcomer), [NEWCOMER] * 5),
    }


NEWCOMER = Registered(host_id="ffffffff-ffff-4fff-8fff-ffffffffffff", infra_env_id=INFRA_ENV_ID)


def _alone(view: View) -> Replied:
    """One host reaches nobody any more, which changes what every other host is told of the group."""
    return Replied(host_id=view.living[0].id, step="connectivity-check", reply=ConnectivityReport())


def _best(act: Callable[[C], object], cases: Iterable[C]) -> float:
    spent = []
    for case in cases:
        before = time.process_time()
        act(case)
        spent.append(time.process_time() - before)
    return 1000 * min(spent)


def _settled(view: View) -> View:
    decision = decide(view, Ticked())
    assert decision.cluster.status is ClusterState.READY, f"the cluster is not ready: {decision.cluster.status_info}"
    return decision.view


def _replied(view: View, rtt_ms: float) -> Replied:
    """One host has measured again how fast it reaches all others."""
    host = view.living[0]
    report = a_report(host, view.living, average_rtt_ms=rtt_ms)
    read = msgspec.json.decode(msgspec.json.encode(report), type=type(report))
    return Replied(host_id=host.id, step="connectivity-check", reply=read)


def _hosts(count: int) -> tuple[Host, ...]:
    """Hosts that lack nothing and reach each other."""
    return tuple(a_mesh(*(_host(number) for number in range(count))))


def _host(number: int) -> Host:
    host = a_ready_host(f"00000000-0000-4000-8000-{number:012}", requested_hostname=f"node-{number}")
    third, fourth = divmod(10 + number, 256)
    nic = Interface(
        name="eth0",
        mac_address=f"52:54:00:00:{third:02x}:{fourth:02x}",
        ipv4_addresses=(f"10.0.{third}.{fourth}/16",),
        has_carrier=True,
    )
    assert host.inventory is not None
    return host.but(
        role=Role.MASTER if number < MASTERS else Role.WORKER,
        inventory=host.inventory.but(interfaces=(nic,)),
        vip_checks=tuple(VipCheck(vip=ip, vip_type=kind, verification="succeeded") for kind, ip in VIPS.items()),
    )


def _view(hosts: tuple[Host, ...]) -> View:
    vips = {f"{kind}_vips": (Vip(ip=ip),) for kind, ip in VIPS.items()}
    return a_view(a_ready_cluster(hosts, machine_networks=("10.0.0.0/16",), **vips), hosts, a_policy())
