"""The two families of addresses, and what differs between them."""

from ipaddress import IPv4Interface, IPv6Interface, ip_address, ip_interface

from muster.domain.record import Record

from .state import Interface, Ip, Route, Rule, State


class Family(Record):
    """One family of addresses."""

    name: str
    version: int
    longest: int
    metric: int
    """What a route costs, where nothing is said."""
    everywhere: str

    def of(self, interface: Interface) -> Ip:
        """What an interface does in it."""
        ip: Ip = getattr(interface, self.name)
        return ip

    def is_for(self, interface: Interface, state: State) -> bool:
        """Whether an interface has it at all; ports leave it to what they are a part of."""
        return self.of(interface).enabled and interface.name not in state.controllers


V4 = Family(name="ipv4", version=4, longest=32, metric=0, everywhere="0.0.0.0/0")
V6 = Family(name="ipv6", version=6, longest=128, metric=1024, everywhere="::/0")
FAMILIES = (V4, V6)
BY_NAME = {each.name: each for each in FAMILIES}


def network(written: str) -> str:
    """A network as everybody writes it, without what is beyond its prefix. `ValueError` if it is none."""
    return str(_interface(written).network)


def family_of(written: str) -> Family:
    """The family of a network or of an address. `ValueError` if it is neither."""
    return V6 if _interface(written).version == V6.version else V4


def _interface(written: str) -> IPv4Interface | IPv6Interface:
    """An address with its prefix, if it has one; how many bits that has is said by a number."""
    _, slash, bits = written.partition("/")
    if slash and not bits.isdecimal():
        raise ValueError(written)
    return ip_interface(written)


def server_family(server: str) -> Family:
    """The family of an address. `ValueError` if it is none."""
    return V6 if ip_address(server).version == V6.version else V4


def route_family(route: Route) -> Family:
    """The family of a route that was found to be in order."""
    return family_of(route.destination)


def rule_family(rule: Rule) -> Family:
    """The family of a rule that was found to be in order."""
    return BY_NAME[rule.family] if rule.family else family_of(rule.ip_from or rule.ip_to)
