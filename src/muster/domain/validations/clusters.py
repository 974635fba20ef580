"""Checks of a cluster: its virtual addresses, its hosts taken together, and what the user must say besides networks."""

from functools import partial

from muster.domain.clusters import PlatformType
from muster.domain.hosts import Host
from muster.domain.requirements import has_cpu_and_memory_for
from muster.domain.roles import WITH_ARBITER, Role, headcount
from muster.domain.states.hosts import HostState
from muster.domain.verdicts import Evidence, Gate, Verdict, failed, passed
from muster.domain.views import ClusterView, HostView

from .facts import POLL, ROLES, STATES, asked, some
from .registry import validation
from .vips import API, INGRESS, judge_defined, judge_valid

network = partial(validation, category="network")
hosts_data = partial(validation, category="hosts-data")
configuration = partial(validation, category="configuration")


@network("api-vips-defined", gate=Gate.VIPS, ignorable=False)
def api_vips_defined(view: ClusterView) -> Verdict:
    """There is an address for the API, or none is needed."""
    return judge_defined(view, API)


@network("ingress-vips-defined", gate=Gate.VIPS, ignorable=False)
def ingress_vips_defined(view: ClusterView) -> Verdict:
    """There is an address for the ingress, or none is needed."""
    return judge_defined(view, INGRESS)


@network("api-vips-valid", gate=Gate.INSTALL)
def api_vips_valid(view: ClusterView) -> Verdict:
    """The addresses for the API lie in the machine networks and are free."""
    return judge_valid(view, API)


@network("ingress-vips-valid", gate=Gate.INSTALL)
def ingress_vips_valid(view: ClusterView) -> Verdict:
    """The addresses for the ingress lie in the machine networks and are free."""
    return judge_valid(view, INGRESS)


CLOCKS_NOT_HEARD = frozenset({HostState.DISCONNECTED, HostState.DISCOVERING, HostState.RESETTING_PENDING})


@network("ntp-server-configured", gate=Gate.INSTALL)
def ntp_server_configured(view: ClusterView) -> Verdict:
    """The clocks of the hosts agree with each other."""
    skews = [
        (host.clock_skew, host.name, host)
        for host in view.hosts
        if host.clock_skew is not None and host.status not in CLOCKS_NOT_HEARD
    ]
    most = view.policy.minutes_apart
    required = f"at most {most} minutes apart"
    if not skews:
        return passed("No clocks disagree", Evidence(measured="no clocks", required=required, source=POLL))
    (slow, slowest, one), (fast, fastest, other) = min(skews, key=_skew), max(skews, key=_skew)
    apart = (fast - slow) // 60
    at = max(view.view.seen_at(one), view.view.seen_at(other))
    if apart <= most:
        evidence = Evidence(measured=f"{apart} minutes apart", required=required, source=POLL, observed_at=at)
        return passed("The clocks of the hosts agree", evidence)
    fix = "Give time sources that all hosts can reach (additional_ntp_source)."
    measured = f"{slowest} {slow:+} s, {fastest} {fast:+} s against this service"
    return failed(
        f"The clocks of {slowest} and {fastest} are {apart} minutes apart; {most} are allowed",
        Evidence(measured=measured, required=required, source=POLL, observed_at=at, fix=fix),
    )


def _skew(clock: tuple[int, str, Host]) -> tuple[int, str]:
    return clock[:2]


READY = frozenset({HostState.KNOWN, HostState.PREPARING, HostState.PREPARED})


@hosts_data("all-hosts-are-ready-to-install", gate=Gate.INSTALL, ignorable=False)
def all_hosts_are_ready_to_install(view: ClusterView) -> Verdict:
    """Every host can be installed."""
    required, hosts = "every host ready", view.hosts
    waiting = [host for host in hosts if host.status not in READY]
    at = max((host.status_updated_at for host in waiting or hosts), default=None)
    if not waiting:
        evidence = Evidence(measured=f"{len(hosts)} hosts ready", required=required, source=STATES, observed_at=at)
        return passed("Every host can be installed", evidence)
    named = some([f"{host.name} is {host.status}" for host in waiting])
    fix = "Put right what is said against each of these hosts, or take them out of the cluster."
    return failed(
        f"Not every host can be installed: {named}",
        Evidence(measured=named, required=required, source=STATES, observed_at=at, fix=fix),
    )


@hosts_data("sufficient-masters-count", gate=Gate.INSTALL, ignorable=False)
def sufficient_masters_count(view: ClusterView) -> Verdict:
    """There are exactly the control plane hosts that the cluster is to have."""
    cluster, wanted = view.cluster, view.cluster.control_plane_count
    count = headcount(view.hosts, wanted, partial(_fits, view))
    evidence = Evidence(
        measured=f"{count.masters} control plane hosts, {count.arbiters} arbiters, {count.workers} workers",
        required=f"{wanted} control plane hosts{VOTES.get(wanted, '')}",
        source=ROLES,
    )
    if count.masters != wanted:
        problem = f"The cluster needs {wanted} control plane hosts; there are {count.masters}"
    elif wanted == WITH_ARBITER and not count.arbiters and not view.peers.fenced_pair:
        problem = "A control plane of two needs an arbiter, or credentials to switch each host off"
    elif cluster.single_node and count.workers:
        problem = f"A single node cluster has no workers; there are {count.workers}"
    else:
        return passed(f"There are {wanted} control plane hosts", evidence)
    fix = f"Add or remove hosts, or give {wanted} hosts that are large enough the role {Role.MASTER}."
    return failed(problem, evidence.but(fix=fix))


VOTES = {1: ", no workers", WITH_ARBITER: ", and an arbiter or credentials to switch each of them off"}
"""What a control plane of a size needs besides itself."""


def _fits(view: ClusterView, host: Host, role: Role) -> bool:
    """Whether a host without a role could have one: the role's own needs and those of the operators."""
    return has_cpu_and_memory_for(host, HostView(view.view, host.but(role=role), view.peers).figures)


@configuration("pull-secret-set", gate=Gate.INPUT, ignorable=False)
def pull_secret_set(view: ClusterView) -> Verdict:
    """There is a pull secret."""
    if view.cluster.pull_secret:
        return passed("The pull secret is set", asked("set", "set"))
    return failed("The pull secret is not set", asked("not set", "set", "Set pull_secret."))


@configuration("platform-requirements-satisfied")
def platform_requirements_satisfied(view: ClusterView) -> Verdict:
    """A platform that needs manifests of the user's has them."""
    platform = view.cluster.platform
    oracle = platform.type is PlatformType.EXTERNAL and platform.platform_name == "oci"
    if oracle and not view.cluster.custom_manifests:
        return failed(
            "Oracle Cloud needs manifests for its cloud controller, and none have been added",
            asked("none", "the platform's manifests", "Add the manifests of the platform to the cluster."),
        )
    return passed(f"The platform {platform.type} lacks nothing", asked(str(platform.type), "nothing missing"))
