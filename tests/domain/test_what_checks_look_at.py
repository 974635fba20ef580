"""What is not judged again: the tables that say which checks look at what, held against the checks themselves."""

from functools import partial
from itertools import product
from types import FunctionType

import pytest
from msgspec.structs import replace

from builders import (
    CONSOLE,
    NOW,
    a_cluster,
    a_day2_host,
    a_host,
    a_pool_view,
    a_ready_host,
    a_ready_view,
    a_report,
    a_running_cluster,
    a_view,
    some_ready_hosts,
)
from muster.domain.clusters import Cluster, ClusterState, DiskEncryption, Platform, PlatformType
from muster.domain.connectivity import ConnectivityReport, MajorityGroups, MtuReport, RemoteHost
from muster.domain.hosts import FencingCredentials, Host, HostState
from muster.domain.joining import ApiVipReply
from muster.domain.monitored import MonitoredOperator, OperatorType
from muster.domain.moves import NO_ASSESSMENT
from muster.domain.networks import Vip, VipVerification
from muster.domain.operators import OLM_OPERATORS
from muster.domain.roles import Role
from muster.domain.settle import AROUND, LOOKED_AT, MET, MINDFUL, TICKED, UNJUDGED
from muster.domain.states import host_conditions
from muster.domain.states.cases import HostCase
from muster.domain.states.host_table import HOST_TABLE
from muster.domain.states.table import Condition
from muster.domain.suggestions import suggested_roles
from muster.domain.triggers import Ticked
from muster.domain.validations.catalogue import (
    CLUSTER_VALIDATIONS,
    HOST_VALIDATIONS,
    LOOKED_AT_BY,
    LOOKED_AT_BY_CLUSTERS,
    OF_CLUSTERS_ALONE,
    OF_SHARES,
    assess_cluster,
    assess_host,
)
from muster.domain.views import OTHERS, TOGETHER, ClusterView, HostView, peers_of

EVIDENCE = {"heard_at", "status_updated_at"}
"""Fields that only evidence is made of; everybody may read them."""


class Watched:
    """A record that notes which of its fields are read."""

    def __init__(self, record, read):
        self._record, self._read = record, read

    def __getattr__(self, name):
        record = self._record
        if name in record.__struct_fields__:
            self._read.add(name)
            return getattr(record, name)
        trait = getattr(type(record), name)
        if isinstance(trait, property):
            return trait.fget(self)
        return partial(trait, self) if isinstance(trait, FunctionType) else trait

    def but(self, **changes):
        return Watched(self._record.but(**changes), self._read)


def selecting(*names):
    return tuple(MonitoredOperator(name=name, operator_type=OperatorType.OLM) for name in names)


BARE = {"user_managed_networking": True, "platform": Platform(type=PlatformType.NONE), "api_vips": ()}
TAKEN = (Vip(ip="192.168.1.5", verification=VipVerification.FAILED),)
CLUSTERS = (
    a_cluster(),
    a_cluster(operators=(CONSOLE, *selecting(*OLM_OPERATORS))),
    a_cluster(operators=selecting("odf", "cnv"), control_plane_count=5),
    a_cluster(control_plane_count=1, high_availability_mode="None", **BARE),
    a_cluster(machine_networks=(), **BARE),
    a_cluster(vip_dhcp_allocation=True, api_vips=(), ingress_vips=(), machine_networks=()),
    a_cluster(disk_encryption=DiskEncryption(enable_on="all", mode="tang", tang_servers="[]")),
    a_cluster(load_balancer="user-managed", status=ClusterState.INSUFFICIENT),
    a_cluster(majority_groups=MajorityGroups(), api_vips=TAKEN, ingress_vips=TAKEN),
    a_cluster(majority_groups=MajorityGroups(), **BARE),
)
HOSTS = (
    some_ready_hosts(3, 2),
    [a_ready_host("h1"), a_ready_host("h2", requested_hostname="h1"), a_host("h3", inventory=None)],
    [a_host("h1", role=Role.AUTO, clock_skew=5000), a_host("h2", status=HostState.DISCOVERING, clock_skew=0)],
    [],
)
VIEWS = (
    *(a_view(cluster, hosts) for cluster in CLUSTERS for hosts in HOSTS),
    a_ready_view(3, 2),
    a_view(a_running_cluster(), [a_day2_host(), a_day2_host("h8", inventory=None, api_vip=None)]),
)


def read_of_hosts():
    """For each check of a host, the fields of that host that it reads."""
    read = {check.id: set() for check in HOST_VALIDATIONS}
    for view in (*VIEWS, a_pool_view(a_ready_host("h1")), a_pool_view(a_host("h1", inventory=None))):
        for host in view.living:
            for check in HOST_VALIDATIONS:
                if view.cluster is not None or check.in_pool:
                    check(HostView(view, Watched(host, read[check.id]), peers_of(view.living)))
    return read


def read_of_clusters():
    """For each check of a cluster, the fields of hosts that it reads."""
    read = {check.id: set() for check in CLUSTER_VALIDATIONS}
    for view in VIEWS:
        for check in CLUSTER_VALIDATIONS:
            hosts = {key: Watched(host, read[check.id]) for key, host in view.hosts.items()}
            check(ClusterView(view.but(hosts=hosts), view.cluster, peers_of(view.living)))
    return read


@pytest.mark.parametrize(
    ("table", "reading"), [(LOOKED_AT_BY, read_of_hosts), (LOOKED_AT_BY_CLUSTERS, read_of_clusters)]
)
def test_the_tables_name_every_check_that_looks_at_a_field(table, reading):
    read = reading()
    for field, checks in table.items():
        if field not in EVIDENCE:
            assert {name for name, fields in read.items() if field in fields} == checks, field


def test_what_only_evidence_is_made_of_changes_no_verdict():
    def words(view):
        peers = peers_of(view.living)
        judged = [assess_host(HostView(view, host, peers)) for host in view.living]
        judged.append(assess_cluster(ClusterView(view, view.cluster, peers)))
        return [
            {name: (each.status, each.message) for name, each in assessment.verdicts.items()} for assessment in judged
        ]

    for view in VIEWS:
        otherwise = {host.id: host.but(heard_at={"inventory": NOW}, status_updated_at=NOW) for host in view.living}
        assert words(view) == words(view.but(hosts={**view.hosts, **otherwise}))


def test_hosts_look_at_no_field_of_their_cluster_that_is_its_own_affair():
    read = set()
    for view in VIEWS:
        watched = view.but(cluster=Watched(view.cluster, read))
        for host in view.living:
            assess_host(HostView(watched, host, peers_of(view.living)))
        suggested_roles(watched)
    assert {name for name in read if name not in Cluster.__struct_fields__} == set()
    assert read <= {*LOOKED_AT, *TOGETHER}


def test_every_field_in_the_tables_is_one_of_a_host():
    assert {*LOOKED_AT_BY, *LOOKED_AT_BY_CLUSTERS} <= set(Host.__struct_fields__)


TIGHT = RemoteHost(
    host_id="m2", mtu_report=(MtuReport(outgoing_nic="eth0", remote_ip_address="192.168.1.11", mtu_successful=False),)
)
SLOW = [
    each.but(connectivity=a_report(each, HOSTS[0], average_rtt_ms=10**6, packet_loss_percentage=99))
    for each in HOSTS[0]
]
STUCK = [each.but(connectivity=ConnectivityReport(remote_hosts=(TIGHT,))) for each in some_ready_hosts(3)]
LONELY = [each.but(connectivity=None) for each in some_ready_hosts(3)]
FENCED = [each.but(fencing_credentials=FencingCredentials(password="p")) for each in LONELY[:2]]
JOINING = (a_day2_host(api_vip=ApiVipReply(is_success=True, ignition="{}")), a_day2_host("h8"))
OTHERS_VIEWS = (
    *VIEWS,
    *(a_view(a_cluster(majority_groups=MajorityGroups()), hosts) for hosts in (SLOW, STUCK, LONELY)),
    a_view(a_cluster(majority_groups=MajorityGroups(), control_plane_count=2), FENCED),
    a_view(a_running_cluster(imported=True), JOINING),
)
"""The views in which hosts have something to say of each other."""


def test_every_check_says_what_it_looks_at_of_the_other_hosts():
    read = {check.id: set() for check in HOST_VALIDATIONS}
    for view, check in product(OTHERS_VIEWS, HOST_VALIDATIONS):
        for host in view.living:
            of_cluster = set()
            seen = replace(view, cluster=Watched(view.cluster, of_cluster))
            check(HostView(seen, host, Watched(peers_of(view.living), read[check.id])))
            read[check.id] |= of_cluster & TOGETHER
    for check in HOST_VALIDATIONS:
        if check.of_others == OTHERS:
            assert check.category == "operators" or check.id in OF_SHARES
        else:
            assert check.of_others == read[check.id], check.id


class Noticed(dict):
    """Hosts of which it is noticed that they are looked at."""

    looked_at = False

    def values(self):
        self.looked_at = True
        return super().values()


def test_checks_that_are_of_the_cluster_alone_look_at_no_host():
    of_hosts = set()
    for view, check in product(VIEWS, CLUSTER_VALIDATIONS):
        hosts, of_peers = Noticed(view.hosts), set()
        check(ClusterView(replace(view, hosts=hosts), view.cluster, Watched(peers_of(view.living), of_peers)))
        if hosts.looked_at or of_peers:
            of_hosts.add(check.id)
    others = {check.id for check in CLUSTER_VALIDATIONS if check.category != "operators"} - of_hosts
    assert others == OF_CLUSTERS_ALONE


def test_checks_of_a_cluster_do_not_look_at_its_state_nor_at_how_its_hosts_find_each_other():
    read = set()
    for view, check in product(VIEWS, CLUSTER_VALIDATIONS):
        check(ClusterView(view, Watched(view.cluster, read), peers_of(view.living)))
    assert "api_vips" in read
    assert not read & UNJUDGED


CONDITIONS = {each.name: each for each in vars(host_conditions).values() if isinstance(each, Condition)}


def test_only_hosts_that_wait_for_their_user_mind_what_becomes_of_others():
    minding = set()
    for view, (name, condition) in product(VIEWS, CONDITIONS.items()):
        for host in view.living:
            of_others = set()
            others = {key: Watched(other, of_others) for key, other in view.hosts.items() if key != host.id}
            seen = view.but(hosts={**others, host.id: host})
            condition.test(HostCase(seen, host, peers_of(view.living), NO_ASSESSMENT, TICKED))
            minding |= {name} if of_others else set()
    rows = [row for row in HOST_TABLE.rows if row.on is Ticked and any(name in row.when.name for name in minding)]
    assert minding
    assert frozenset().union(*(row.source for row in rows)) == MINDFUL


def test_hosts_move_by_nothing_else_of_their_cluster_and_of_each_other_than_is_said():
    of_cluster, of_others = set(), set()
    for view, state in product(VIEWS, ClusterState):
        cluster = Watched(view.cluster.but(status=state), of_cluster)
        for host in view.living:
            others = {key: Watched(other, of_others) for key, other in view.hosts.items() if key != host.id}
            seen = view.but(cluster=cluster, hosts={**others, host.id: host})
            case = HostCase(seen, host, peers_of(view.living), assess_host(HostView(view, host, peers_of(()))), TICKED)
            for condition in CONDITIONS.values():
                condition.test(case)
            for row in (each for each in HOST_TABLE.rows if each.on is Ticked):
                (row.because or "").format_map(case)
    assert of_cluster - {"id"} <= {*AROUND}
    assert of_others <= {*MET}
    assert "status" in of_cluster
    assert {"status", "role"} <= of_others
