"""What nmstate's documents say, as far as it is turned into keyfiles: records that `shapes.py` reads from a tree.

Every record that something can be wrong with knows its place. The names of fields are nmstate's.
"""

from collections.abc import Mapping

from muster.domain.record import Record

from .tree import At


class Address(Record):
    """An address of an interface."""

    ip: str
    prefix_length: int
    at: At = At()


class Ip(Record):
    """What an interface does in one family of addresses; what is not said to be enabled is not."""

    at: At = At()
    enabled: bool = False
    dhcp: bool = False
    autoconf: bool | None = None
    address: tuple[Address, ...] = ()
    auto_dns: bool = True
    auto_gateway: bool = True
    auto_routes: bool = True
    auto_route_table_id: int | None = None
    auto_route_metric: int | None = None
    addr_gen_mode: str = "eui64"
    dhcp_client_id: str = "ll"
    dhcp_duid: str = "ll"
    dhcp_send_hostname: bool = True
    dhcp_custom_hostname: str = ""


class Ethernet(Record):
    """How a cable is spoken to."""

    auto_negotiation: bool | None = None
    speed: int | None = None
    duplex: str = ""


class Vlan(Record):
    """A part of another interface's traffic."""

    base_iface: str
    id: int
    protocol: str = ""
    reorder_headers: bool = True
    loose_binding: bool = False
    registration_protocol: str = "none"


class BondPort(Record):
    """How a bond treats one of its ports."""

    name: str
    priority: int | None = None
    queue_id: int | None = None


class Bond(Record):
    """Several interfaces that act as one."""

    at: At = At()
    mode: str = ""
    options: Mapping[str, str] = {}
    """As keyfiles have them."""
    port: tuple[str, ...] | None = None
    ports_config: tuple[BondPort, ...] | None = None

    @property
    def ports(self) -> tuple[str, ...]:
        """The names of its ports, however they were written."""
        return tuple(each.name for each in self.ports_config or ()) if self.port is None else self.port


class BridgePort(Record):
    """How a bridge treats one of its ports."""

    name: str
    stp_hairpin_mode: bool | None = None
    stp_path_cost: int | None = None
    stp_priority: int | None = None


class SpanningTree(Record):
    """How a bridge avoids loops."""

    enabled: bool | None = None
    forward_delay: int | None = None
    hello_time: int | None = None
    max_age: int | None = None
    priority: int | None = None


class BridgeOptions(Record):
    """What can be set for a bridge."""

    stp: SpanningTree = SpanningTree()
    mac_ageing_time: int | None = None
    group_forward_mask: int | None = None
    multicast_snooping: bool | None = None


class Bridge(Record):
    """Several interfaces that traffic passes between."""

    at: At = At()
    options: BridgeOptions = BridgeOptions()
    port: tuple[BridgePort, ...] | None = None


class Lldp(Record):
    """Whether neighbours are listened to."""

    enabled: bool = False


class Interface(Record):
    """One interface of a host."""

    name: str
    at: At = At()
    type: str = "ethernet"
    state: str = "up"
    identifier: str = "name"
    mac_address: str = ""
    mtu: int | None = None
    description: str = ""
    wait_ip: str = ""
    lldp: Lldp | None = None
    accept_all_mac_addresses: bool | None = None
    ipv4: Ip = Ip()
    ipv6: Ip = Ip()
    ethernet: Ethernet | None = None
    vlan: Vlan | None = None
    link_aggregation: Bond | None = None
    bridge: Bridge | None = None

    @property
    def is_there(self) -> bool:
        """Whether anything is to be configured for it."""
        return self.state in {"up", "down"}

    @property
    def ports(self) -> tuple[str, ...]:
        """The names of the interfaces it is made of."""
        if not self.is_there:
            return ()
        if self.link_aggregation is not None:
            return self.link_aggregation.ports
        return tuple(each.name for each in (self.bridge and self.bridge.port) or ())


class Route(Record):
    """A way to a network."""

    at: At = At()
    state: str = ""
    destination: str = ""
    next_hop_interface: str = ""
    next_hop_address: str = ""
    metric: int = -1
    table_id: int = 0
    weight: int | None = None
    source: str = ""


class Rule(Record):
    """Which table of routes is looked at, for which packets."""

    at: At = At()
    state: str = ""
    family: str = ""
    ip_from: str = ""
    ip_to: str = ""
    priority: int = -1
    route_table: int = 0
    fwmark: int | None = None
    fwmask: int | None = None
    action: str = ""
    iif: str = ""
    suppress_prefix_length: int | None = None


class Dns(Record):
    """Who is asked for names."""

    at: At = At()
    server: tuple[str, ...] = ()
    search: tuple[str, ...] = ()
    options: tuple[str, ...] = ()


class DnsResolver(Record):
    """The wanted part of what nmstate tells of names."""

    config: Dns = Dns()


class Routes(Record):
    """The wanted part of what nmstate tells of routes."""

    config: tuple[Route, ...] = ()


class Rules(Record):
    """The wanted part of what nmstate tells of rules."""

    config: tuple[Rule, ...] = ()


class State(Record):
    """The network of a host."""

    interfaces: tuple[Interface, ...] = ()
    dns_resolver: DnsResolver = DnsResolver()
    routes: Routes = Routes()
    route_rules: Rules = Rules()

    @property
    def dns(self) -> Dns:
        """Who is asked for names."""
        return self.dns_resolver.config

    @property
    def wanted_routes(self) -> tuple[Route, ...]:
        """The routes that are to be there."""
        return tuple(each for each in self.routes.config if each.state != "absent")

    @property
    def wanted_rules(self) -> tuple[Rule, ...]:
        """The rules that are to be there."""
        return tuple(each for each in self.route_rules.config if each.state != "absent")

    @property
    def standing(self) -> tuple[Interface, ...]:
        """The interfaces that are to be there."""
        return tuple(each for each in self.interfaces if each.is_there)

    @property
    def controllers(self) -> dict[str, Interface]:
        """By the name of a port, the interface it is a part of."""
        return {port: each for each in self.interfaces for port in each.ports}
