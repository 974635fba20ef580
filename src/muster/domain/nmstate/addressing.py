"""Turns what is said of addresses, routes, rules and names into the `[ipv4]` and `[ipv6]` of a keyfile."""

from ipaddress import ip_address

from .families import FAMILIES, V6, Family, network, route_family, rule_family
from .placing import dns_places, priorities, rule_place
from .state import Interface, Ip, Route, Rule, State

MAIN = 254
"""The table of routes that is meant where none is."""

FOREVER = "2147483647"
"""How long addresses are waited for: an installation is not helped by giving up."""

CLIENT_IDS = {"ll": "mac", "iaid+duid": "duid"}
ADDRESS_MODES = {"eui64": "0", "stable-privacy": "1"}

Section = dict[str, str]


def ip_sections(interface: Interface, state: State) -> dict[str, Section]:
    """By family, what an interface is told of its addresses."""
    return {family.name: _section(interface, family, state) for family in FAMILIES}


def _section(interface: Interface, family: Family, state: State) -> Section:
    ip = family.of(interface)
    waited = {"may-fail": _word(family.name not in interface.wait_ip)} if interface.wait_ip else {}
    if not ip.enabled:
        return {"dhcp-timeout": FOREVER, "method": "disabled", **waited}
    addresses = [f"{each.ip}/{each.prefix_length}" for each in ip.address if not _follows_from_link(each.ip)]
    routes = _routes(interface, family, state)
    return {
        "dhcp-timeout": FOREVER,
        "method": _method(ip, family, fixed=bool(addresses or routes)),
        **waited,
        **({"addr-gen-mode": ADDRESS_MODES[ip.addr_gen_mode]} if family is V6 else {}),
        **(_dhcp(ip, family) if ip.dhcp else {}),
        **{f"address{number}": each for number, each in enumerate(addresses)},
        **routes,
        **_rules(interface, family, state),
        **_names(interface, family, state),
    }


def _word(value: bool) -> str:
    return str(value).lower()


def _follows_from_link(address: str) -> bool:
    """Whether an address is one that every interface makes for itself."""
    return ip_address(address).version == V6.version and ip_address(address).is_link_local


def _method(ip: Ip, family: Family, *, fixed: bool) -> str:
    if ip.dhcp:
        return "dhcp" if family is V6 and not ip.autoconf else "auto"
    if fixed:
        return "manual"
    return "link-local" if family is V6 else "disabled"


def _dhcp(ip: Ip, family: Family) -> Section:
    identity = {"dhcp-client-id": CLIENT_IDS.get(ip.dhcp_client_id, ip.dhcp_client_id)}
    brings_routes = family is not V6 or ip.autoconf is not False
    if family is V6:
        identity = {"dhcp-duid": ip.dhcp_duid, "dhcp-iaid": "mac", "ra-timeout": FOREVER}
    return {
        **identity,
        "dhcp-send-hostname": _word(ip.dhcp_send_hostname),
        "dhcp-hostname": ip.dhcp_custom_hostname if ip.dhcp_send_hostname else "",
        "ignore-auto-dns": _word(not ip.auto_dns),
        "ignore-auto-routes": _word(not ip.auto_routes),
        "never-default": _word(not ip.auto_gateway),
        "route-table": "" if ip.auto_route_table_id is None else str(ip.auto_route_table_id),
        "route-metric": str(ip.auto_route_metric) if ip.auto_route_metric is not None and brings_routes else "",
    }


def _routes(interface: Interface, family: Family, state: State) -> Section:
    own = {
        _route(each, family): None
        for each in sorted(state.wanted_routes, key=lambda each: (each.table_id, each.destination))
        if each.next_hop_interface == interface.name and route_family(each) is family
    }
    told = [{f"route{number}": way, f"route{number}_options": options} for number, (way, options) in enumerate(own)]
    return {key: value for each in told for key, value in each.items()}


def _route(route: Route, family: Family) -> tuple[str, str]:
    metric = family.metric if route.metric < 0 else route.metric
    options = {"table": route.table_id or MAIN, "weight": route.weight, "src": route.source}
    written = ",".join(f"{name}={value}" for name, value in options.items() if value)
    return f"{network(route.destination)},{route.next_hop_address},{metric}", written


def _rules(interface: Interface, family: Family, state: State) -> Section:
    numbered = zip(state.wanted_rules, priorities(state), strict=True)
    own = {
        _rule(rule, family, priority): priority
        for rule, priority in numbered
        if rule_family(rule) is family and rule_place(rule, state) is interface
    }
    return {f"routing-rule{number}": each for number, each in enumerate(sorted(own, key=lambda each: own[each]))}


def _rule(rule: Rule, family: Family, priority: int) -> str:
    mark = f"{rule.fwmark}/{rule.fwmask}" if rule.fwmask else rule.fwmark
    source = network(rule.ip_from) if rule.ip_from else "" if rule.ip_to else family.everywhere
    said = {
        "priority": priority,
        "to": network(rule.ip_to) if rule.ip_to else "",
        "from": source,
        "iif": rule.iif,
        "suppress_prefixlength": rule.suppress_prefix_length,
        "type": rule.action,
        "table": rule.route_table or MAIN,
        "fwmark": mark,
    }
    return " ".join(f"{name} {value}" for name, value in said.items() if value not in ("", None))


def _names(interface: Interface, family: Family, state: State) -> Section:
    place = next((each for each in dns_places(state) if each.interface is interface and each.family is family), None)
    if place is None:
        return {}
    dns = place.dns
    servers = (str(ip_address(each)) for each in dns.server)
    told = {"dns": servers, "dns-search": dns.search, "dns-options": dns.options}
    return {"dns-priority": place.priority, **{name: ";".join(values) for name, values in told.items()}}
