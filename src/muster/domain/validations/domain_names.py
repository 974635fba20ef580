"""Checks of the names a cluster is found by, as each host resolves them.

A cluster that manages its own network answers for its own names; the others must be known to the name
servers of the user, and must lead to a load balancer.
"""

from functools import partial

from muster.domain.clusters import Cluster
from muster.domain.joining import read_ignition
from muster.domain.networks import Resolution, plain
from muster.domain.verdicts import Evidence, Gate, Verdict, failed, passed, pending, unjudged
from muster.domain.views import HostView

from .facts import API_VIP, DOMAINS, NO_RESOLUTIONS, WAIT, asked, cluster_of, some, told
from .registry import validation

JOINING = frozenset({"joining"})

check = partial(validation, category="network")


@check("api-domain-name-resolved-correctly", gate=Gate.INSTALL, in_pool=False, of_others=JOINING)
def api_domain_name_resolved_correctly(view: HostView) -> Verdict:
    """The name of the API leads to it from this host."""
    return _judge_name(view, "api", "api")


@check("api-int-domain-name-resolved-correctly", gate=Gate.INSTALL, in_pool=False, of_others=JOINING)
def api_int_domain_name_resolved_correctly(view: HostView) -> Verdict:
    """The name of the API within the cluster leads to it from this host."""
    return _judge_name(view, "api-int", "api-int")


@check("apps-domain-name-resolved-correctly", gate=Gate.INSTALL, in_pool=False, of_others=JOINING)
def apps_domain_name_resolved_correctly(view: HostView) -> Verdict:
    """The names of applications lead to the ingress from this host."""
    return _judge_name(view, "console-openshift-console.apps", "*.apps")


OWN_NAMES = passed("The cluster answers for its own names", asked("managed by the cluster", "any"))
NOT_JOINED_YET = pending(
    "Waiting for a host to fetch the running cluster's configuration, which says who answers for its names",
    Evidence(measured="nothing yet", required="the configuration of the running cluster", source=API_VIP, fix=WAIT),
)
NO_DOMAIN = unjudged(
    "The cluster has no base domain, so its names are not known",
    asked("none", "a base domain", "Set base_dns_domain."),
)


def manages_its_names(view: HostView, cluster: Cluster) -> bool | None:
    """Whether the cluster itself answers for its names; None if that is not known yet."""
    if not cluster.imported:
        alone = cluster.single_node and not view.day2 and view.policy.single_node_dnsmasq
        return alone or not cluster.user_managed_networking
    if not view.peers.joining:
        return None
    ignitions = (read_ignition(reply.ignition) for reply in view.peers.joining)
    return next((each.manages_its_names for each in ignitions if each is not None), True)


def _judge_name(view: HostView, prefix: str, shown_prefix: str) -> Verdict:
    """The verdict on one name; `shown_prefix` is what to call it in a sentence."""
    cluster = cluster_of(view)
    managed = manages_its_names(view, cluster)
    if managed is None:
        return NOT_JOINED_YET
    if managed:
        return OWN_NAMES
    if not cluster.base_dns_domain:
        return NO_DOMAIN
    return _judge_answer(view, f"{prefix}.{cluster.domain}", f"{shown_prefix}.{cluster.domain}")


def _judge_answer(view: HostView, name: str, shown: str) -> Verdict:
    host, required = view.host, "the address of a load balancer"
    if not host.resolutions:
        return unjudged(
            f"The host has not looked up {shown} yet", told(host, DOMAINS, "nothing yet", required, "Wait a minute.")
        )
    answer = _answer(host.resolutions, name)
    if answer is None:
        fix = f"Add {shown} to the name server that the host uses."
        return failed(f"The host cannot resolve {shown}", told(host, DOMAINS, "no answer", required, fix))
    own = _own(view, answer.addresses)
    # A single node is where its own names lead; a host that joins one is not.
    if own and not (view.single_node and not view.day2):
        fix = f"Let {shown} lead to a load balancer in front of the hosts."
        return failed(
            f"The name {shown} leads to this host itself ({own})", told(host, DOMAINS, f"{own}, its own", required, fix)
        )
    return passed(f"The host resolves {shown}", told(host, DOMAINS, some(answer.answers), required))


def _answer(resolutions: tuple[Resolution, ...], name: str) -> Resolution | None:
    return next((each for each in resolutions if each.domain_name == name and each.resolves), None)


def _own(view: HostView, answers: list[str]) -> str:
    """The first of the addresses that is the host's own; "" if none is."""
    mine = {plain(address) for address in view.host.inventory.addresses} if view.host.inventory else set()
    return next((answer for answer in answers if plain(answer) in mine), "")


WILDCARD = "validateNoWildcardDNS"
"""A name nobody has: if it resolves, everything does."""


@check("dns-wildcard-not-configured", gate=Gate.INSTALL, in_pool=False)
def dns_wildcard_not_configured(view: HostView) -> Verdict:
    """No wildcard makes names of the cluster mean something that they are not."""
    if view.day2:
        return passed("The running cluster's names are in use already", asked("in use", "in use"))
    resolutions = view.host.resolutions
    if resolutions is None:
        return NO_RESOLUTIONS
    domain = cluster_of(view).domain
    name = f"{WILDCARD}.{domain}"
    answers = {each.domain_name: each for each in resolutions}
    required = "no answer to a name nobody has"
    for asked_name, cause, fix in (
        (f"{name}.", f"the name server has a wildcard for {domain}", "Remove the wildcard from the name server."),
        (
            name,
            "a search domain of the host has a wildcard",
            "Take that domain off the search list that DHCP hands out.",
        ),
    ):
        answer = answers.get(asked_name)
        if answer is None:
            return unjudged(
                f"The host has not looked up {asked_name}",
                told(view.host, DOMAINS, "nothing", required, "Wait a minute."),
            )
        if answer.resolves:
            found = f"{asked_name} is {some(answer.answers)}"
            return failed(
                f"A name nobody has resolves on this host: {cause}", told(view.host, DOMAINS, found, required, fix)
            )
    return passed(f"There is no wildcard for {domain}", told(view.host, DOMAINS, "no answer", required))
