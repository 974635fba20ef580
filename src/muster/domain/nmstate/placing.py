"""Where settings go that belong to the host and not to one of its interfaces: servers for names, and rules.

NetworkManager keeps them with an interface. `checks.py` asks whether there is one, `addressing.py` for what it gets.
"""

from muster.domain.record import Record

from .families import FAMILIES, V4, V6, Family, route_family, rule_family, server_family
from .state import Dns, Interface, Rule, State

FIRST, SECOND = "40", "50"
"""The priorities of the family that is asked first, and of the other."""

LATEST = 30000
"""The priority of the first rule that has none of its own."""


class DnsPlace(Record):
    """What one family of one interface is told of names; None if no interface can have it."""

    family: Family
    interface: Interface | None
    dns: Dns
    priority: str

    @property
    def what(self) -> str:
        """What it is, for a sentence."""
        return f"server {', '.join(self.dns.server)}" if self.dns.server else "what is said of names"


def dns_places(state: State) -> tuple[DnsPlace, ...]:
    """Where everything goes that is said of names: searches are told where the first server is."""
    dns = state.dns
    if not dns.server:
        return (_without_server(state),) if dns.search or dns.options else ()
    first = server_family(dns.server[0])
    places = []
    for family in sorted(FAMILIES, key=lambda each: each is not first):
        servers = tuple(each for each in dns.server if server_family(each) is family)
        if servers:
            told = dns.but(server=servers) if family is first else Dns(server=servers)
            priority = FIRST if family is first else SECOND
            places.append(DnsPlace(family=family, interface=_fitting(state, family), dns=told, priority=priority))
    return tuple(places)


def _without_server(state: State) -> DnsPlace:
    """Beside what others tell of names, if they do: it adds to that."""
    able = [
        DnsPlace(family=family, interface=interface, dns=state.dns, priority=FIRST)
        for fits in (_is_told, _is_fixed)
        for interface in state.standing
        for family in (V6, V4)
        if fits(interface, family, state)
    ]
    return able[0] if able else DnsPlace(family=V4, interface=None, dns=state.dns, priority=FIRST)


def _fitting(state: State, family: Family) -> Interface | None:
    """The first interface whose servers nobody else tells, or the first that has addresses at all."""
    fixed = (each for each in state.standing if _is_fixed(each, family, state))
    told = (each for each in state.standing if _is_told(each, family, state))
    return next(fixed, None) or next(told, None)


def _is_fixed(interface: Interface, family: Family, state: State) -> bool:
    ip = family.of(interface)
    known = not ip.auto_dns if ip.dhcp else bool(ip.address)
    return known and interface.state == "up" and family.is_for(interface, state)


def _is_told(interface: Interface, family: Family, state: State) -> bool:
    return family.of(interface).dhcp and interface.state == "up" and family.is_for(interface, state)


def rule_place(rule: Rule, state: State) -> Interface | None:
    """The interface that a rule is kept with: the one it names, or one that has routes in its table, or any."""
    family = rule_family(rule)
    able = [each for each in state.standing if _is_fixed(each, family, state) or _is_told(each, family, state)]
    named = (each for each in able if each.name == rule.iif)
    routed = {
        each.next_hop_interface
        for each in state.wanted_routes
        if each.table_id == rule.route_table and route_family(each) is family
    }
    fitting = (
        each for each in able
        if rule.route_table and (each.name in routed or family.of(each).auto_route_table_id == rule.route_table)
    )  # fmt: skip
    return next(named, None) or next(fitting, None) or next(iter(able), None)


def priorities(state: State) -> tuple[int, ...]:
    """The priority of every wanted rule, in their order: those that have none come after all others."""
    given = [each.priority for each in state.wanted_rules]
    free = max(LATEST, *(each + 1 for each in given), 0)
    found = []
    for priority in given:
        found.append(priority if priority >= 0 else free)
        free += priority < 0
    return tuple(found)
