"""Who can reach whom: the reports of the hosts and what they mean together."""

from .record import Record


class L2(Record):
    """One answer, or none, on the same wire."""

    outgoing_nic: str = ""
    outgoing_ip_address: str = ""
    remote_ip_address: str = ""
    remote_mac: str = ""
    successful: bool = False


class L3(Record):
    """One address reached, or not, by routing."""

    outgoing_nic: str = ""
    remote_ip_address: str = ""
    successful: bool = False
    average_rtt_ms: float = 0.0
    packet_loss_percentage: float = 0.0


class MtuReport(Record):
    """Whether full-size packets pass."""

    outgoing_nic: str = ""
    remote_ip_address: str = ""
    mtu_successful: bool = False


class RemoteHost(Record):
    """All that one host found out about another."""

    host_id: str = ""
    l2_connectivity: tuple[L2, ...] | None = None
    l3_connectivity: tuple[L3, ...] | None = None
    mtu_report: tuple[MtuReport, ...] | None = None


class ConnectivityReport(Record):
    """What one host says of all the others."""

    remote_hosts: tuple[RemoteHost, ...] = ()


class MajorityGroups(Record, omit_defaults=False):
    """Which hosts form a full mesh, per network and per address family."""

    majority_groups: dict[str, tuple[str, ...]] = {}
    l3_connected_addresses: dict[str, tuple[str, ...]] = {}
