"""What would follow if something were changed: the difference, and that nothing is kept of it."""

import pytest

from builders import INFRA_ENV_ID, a_machine, a_pool_view, a_ready_host, a_ready_view, an_infra_env
from muster.domain.clusters import ClusterState
from muster.domain.decide import decide
from muster.domain.errors import Invalid, NotFound, Refused
from muster.domain.hosts import HostState
from muster.domain.inputs.clusters import ClusterUpdate
from muster.domain.inputs.hosts import DiskInput, HostUpdate
from muster.domain.inputs.operators import OperatorInput
from muster.domain.inputs.vips import VipInput
from muster.domain.inventory import Disk, DriveType
from muster.domain.triggers import Ticked, UpdateCluster
from muster.domain.verdicts import Status
from muster.domain.what_if import Supposition, what_if

H, C = HostState, ClusterState


def a_ready_cluster_view():
    """A cluster of three that could be installed, settled."""
    view = a_ready_view().but(infra_envs={INFRA_ENV_ID: an_infra_env()})
    return decide(view, Ticked()).view


def turned(difference, name):
    """How one check would come out."""
    (turn,) = [each for each in difference.verdicts if each.id == name]
    return turn


def test_nothing_that_is_changed_makes_no_difference():
    outcome = what_if(a_ready_cluster_view(), Supposition())
    assert (outcome.cluster.before, outcome.cluster.after) == (C.READY, C.READY)
    assert not outcome.cluster.matters
    assert outcome.hosts == ()


def test_a_host_that_were_missing_would_make_the_cluster_insufficient():
    outcome = what_if(a_ready_cluster_view(), Supposition(remove=("m3",)))
    assert (outcome.cluster.before, outcome.cluster.after) == (C.READY, C.INSUFFICIENT)
    turn = turned(outcome.cluster, "sufficient-masters-count")
    assert (turn.before.status, turn.after.status) == (Status.SUCCESS, Status.FAILURE)
    assert turn.evidence.fix
    gone = next(each for each in outcome.hosts if each.id == "m3")
    assert (gone.before, gone.after) == (H.KNOWN, None)


def test_another_role_would_be_judged_as_that_role():
    outcome = what_if(a_ready_cluster_view(), Supposition(hosts={"m1": HostUpdate(host_role="worker")}))
    (first,) = [each for each in outcome.hosts if each.id == "m1"]
    assert first.facts["role"] == "worker"
    assert "worker" in turned(first, "has-cpu-cores-for-role").after.message
    assert outcome.cluster.after is C.INSUFFICIENT


def test_other_addresses_would_be_judged_where_they_are():
    vips = (VipInput(ip="192.168.1.7"),)
    changes = ClusterUpdate(api_vips=vips)
    outcome = what_if(a_ready_cluster_view(), Supposition(cluster=changes))
    assert turned(outcome.cluster, "api-vips-valid").after.status is Status.FAILURE
    assert outcome.cluster.facts["api_vips"]


def test_an_operator_would_ask_for_more_machine():
    changes = ClusterUpdate(olm_operators=(OperatorInput(name="mce"),))
    outcome = what_if(a_ready_cluster_view(), Supposition(cluster=changes))
    names = {turn.id for host in outcome.hosts for turn in host.verdicts}
    assert {"mce-requirements-satisfied", "has-memory-for-role"} & names


def test_another_disk_would_be_the_one_installed_to():
    view = a_ready_cluster_view()
    host = view.hosts["m1"]
    spare = Disk(id="/dev/disk/by-id/spare", name="sdb", drive_type=DriveType.SSD, size_bytes=500 * 10**9)
    host = host.but(inventory=host.inventory.but(disks=(*host.inventory.disks, spare)))
    view = decide(view.with_host(host), Ticked()).view
    changes = HostUpdate(disks_selected_config=(DiskInput(id=spare.id, role="install"),))
    outcome = what_if(view, Supposition(hosts={"m1": changes}))
    (first,) = outcome.hosts
    assert first.facts["installation_disk_id"] == spare.id


def test_a_host_of_the_pool_would_be_one_of_the_cluster():
    pooled = a_pool_view(a_ready_host("m9", inventory=a_machine(hostname="m9"))).hosts["m9"]
    supposed = Supposition(add=(f"{INFRA_ENV_ID}/m9",))
    assert supposed.added == (f"{INFRA_ENV_ID}/m9",)
    outcome = what_if(a_ready_cluster_view(), supposed, (pooled,))
    new = next(each for each in outcome.hosts if each.id == "m9")
    assert new.before is None
    assert new.after in {H.KNOWN, H.INSUFFICIENT}
    assert all(turn.before is None for turn in new.verdicts)


@pytest.mark.parametrize(
    ("supposed", "error"),
    [
        (Supposition(hosts={"m9": HostUpdate(host_role="worker")}), NotFound),
        (Supposition(hosts={"m1": HostUpdate(host_name="localhost")}), Invalid),
        (Supposition(remove=("m9",)), NotFound),
        (Supposition(cluster=ClusterUpdate(name="No Name")), Invalid),
    ],
)
def test_what_would_be_refused_is_refused(supposed, error):
    with pytest.raises(error):
        what_if(a_ready_cluster_view(), supposed)


def test_what_is_too_late_to_change_is_refused():
    view = a_ready_cluster_view()
    view = view.with_cluster(view.cluster.but(status=C.INSTALLED))
    with pytest.raises(Refused):
        what_if(view, Supposition(cluster=ClusterUpdate(name="other")))


def test_secrets_are_not_told():
    secret = '{"auths":{"quay.io":{"auth":"dXNlcjpuZXc="}}}'
    outcome = what_if(a_ready_cluster_view(), Supposition(cluster=ClusterUpdate(pull_secret=secret)))
    assert "dXNlcjpuZXc=" not in str(outcome)
    assert outcome.cluster.facts["pull_secret"] == "(secret)"


def test_what_would_follow_is_what_does_follow():
    view, changes = a_ready_cluster_view(), ClusterUpdate(base_dns_domain="")
    supposed = what_if(view, Supposition(cluster=changes)).cluster
    done = decide(view, UpdateCluster(changes=changes)).cluster
    assert (supposed.after, supposed.because) == (done.status, done.status_info)
    assert {turn.id: turn.after for turn in supposed.verdicts} == {
        name: finding for name, finding in done.verdicts.items() if view.cluster.verdicts.get(name) != finding
    }


def test_what_would_come_out_differently_is_told_first():
    changes = ClusterUpdate(olm_operators=(OperatorInput(name="mce"), OperatorInput(name="odf")))
    for host in what_if(a_ready_cluster_view(), Supposition(cluster=changes)).hosts:
        same = [bool(turn.before and turn.after and turn.before.status is turn.after.status) for turn in host.verdicts]
        assert same == sorted(same)


def test_the_view_that_is_asked_about_stays_as_it_is():
    view = a_ready_cluster_view()
    before = (view.cluster, dict(view.hosts), view.version)
    what_if(view, Supposition(remove=("m1",)))
    assert (view.cluster, dict(view.hosts), view.version) == before
