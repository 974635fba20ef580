"""What holds for every sequence of things that may happen to a cluster and its hosts."""

from contextlib import suppress
from datetime import timedelta

import msgspec
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from builders import (
    CLUSTER_ID,
    INFRA_ENV_ID,
    NOW,
    a_cluster,
    a_policy,
    a_ready_host,
    a_report,
    an_infra_env,
    some_answers,
)
from muster.domain.clusters import Cluster, ClusterKind, ClusterState, DiskEncryption, Platform, PlatformType
from muster.domain.decide import decide
from muster.domain.errors import MusterError
from muster.domain.hosts import Host, HostState, ImageStatus, VipCheck
from muster.domain.inputs.clusters import ClusterUpdate
from muster.domain.inputs.hosts import HostUpdate
from muster.domain.inputs.operators import OperatorInput
from muster.domain.networks import NtpSource
from muster.domain.progress import FinalizingStage, HostProgress, Stage
from muster.domain.states.clusters import UNDER_WAY
from muster.domain.steps import STEPS, instruct
from muster.domain.steps.container_image_availability import ImagesReply
from muster.domain.steps.domain_resolution import DomainReply
from muster.domain.steps.installation_disk_speed_check import DiskSpeedReply
from muster.domain.steps.ntp_synchronizer import NtpReply
from muster.domain.triggers import (
    AllowAddHosts,
    Cancel,
    CheckedIn,
    ClusterLogsReported,
    DeleteHost,
    FinalizingStageReported,
    HostLogsReported,
    IngressCaUploaded,
    Install,
    InstallHost,
    KubeconfigPublished,
    OperatorReported,
    Prepared,
    Progressed,
    ReclaimHost,
    Registered,
    Replied,
    Reset,
    ResetHost,
    Ticked,
    UnbindHost,
    UpdateCluster,
    UpdateHost,
)
from muster.domain.views import View, cluster_scope
from muster.domain.what_if import Supposition, what_if

KINDS = {
    "three": {},
    "five": {"control_plane_count": 5},
    "with an arbiter": {"control_plane_count": 2},
    "single node": {
        "control_plane_count": 1,
        "high_availability_mode": "None",
        "user_managed_networking": True,
        "platform": Platform(type=PlatformType.NONE),
        "api_vips": (),
        "ingress_vips": (),
        "machine_networks": (),
    },
    "leased addresses": {
        "vip_dhcp_allocation": True,
        "api_vips": (),
        "ingress_vips": (),
        "network_type": "OpenShiftSDN",
    },
    "networks of the user": {
        "user_managed_networking": True,
        "platform": Platform(type=PlatformType.NONE),
        "api_vips": (),
        "ingress_vips": (),
    },
    "encrypted": {"disk_encryption": DiskEncryption(enable_on="all", mode="tpmv2")},
    "running": {"kind": ClusterKind.ADD_HOSTS, "status": ClusterState.ADDING_HOSTS},
}
"""Clusters of every kind that is judged differently."""

BOUND = [state for state in HostState if not any(word in state for word in ("unbound", "unbind", "reclaim"))]
"""States of hosts of a cluster."""

LEAVES_INSTALLED = {
    HostState.ERROR,
    HostState.CANCELLED,
    HostState.RESETTING_PENDING,
    HostState.UNBINDING_PENDING,
    HostState.RECLAIMING,
}

HOSTS = tuple(f"00000000-0000-4000-8000-00000000000{number}" for number in range(5))
which = st.sampled_from(HOSTS)
AGENT = a_policy().agent_image


def a_good_machine(number):
    """A machine that passes every check, with a name and an address of its own."""
    return a_ready_host(HOSTS[number], 10 + number).inventory.but(hostname=f"node-{number}")


class ClusterLife(RuleBasedStateMachine):
    """A cluster to which anything may happen at any time; mostly, things go well."""

    @initialize(kind=st.sampled_from(sorted(KINDS)), soft=st.booleans(), own_image=st.booleans())
    def described(self, kind="three", soft=False, own_image=True):
        """A cluster of some kind, to which nothing has happened yet."""
        self.strayed = False
        self.view = View(
            scope=cluster_scope(CLUSTER_ID),
            version=1,
            now=NOW,
            policy=a_policy().but(soft_timeouts=soft, fencing=True),
            cluster=a_cluster(**KINDS[kind]),
            infra_envs={INFRA_ENV_ID: an_infra_env(cluster_id=CLUSTER_ID if own_image else None)},
        )
        self.happens(Ticked())

    def happens(self, *triggers):
        before = self.view
        decision = decide(before, *triggers)
        self.check_decision(before, decision)
        moved = {key: host for key, host in decision.view.hosts.items() if host.cluster_id == CLUSTER_ID}
        self.view = decision.view if len(moved) == len(decision.view.hosts) else decision.view.but(hosts=moved)
        return decision

    def check_decision(self, before, decision):
        assert decision.view.version == before.version + (1 if decision.changed else 0)
        for event in decision.events:
            assert event.cluster_id == CLUSTER_ID
            known = event.host_id is None or event.host_id in decision.view.hosts
            assert known or event.name == "host_registration_failed"
        if before.cluster.deleted_at is None and decision.view.cluster.deleted_at is not None:
            assert before.cluster.status not in UNDER_WAY
            assert max(before.presence.values(), default=NOW) < decision.view.now - decision.view.policy.inactivity
        for host_id, host in before.hosts.items():
            after = decision.view.hosts[host_id]
            if host.status is HostState.INSTALLED and after.status is not HostState.INSTALLED:
                assert after.status in LEAVES_INSTALLED
                assert after.cluster_id is None or decision.cluster.status is not ClusterState.INSTALLED
            assert after.cluster_id in (CLUSTER_ID, None)
        if decision.outcomes and all(decision.outcomes):
            alone = decide(before, Ticked())
            assert (decision.view.hosts, decision.cluster) == (alone.view.hosts, alone.cluster)
            more = [event.name for event in decision.events if event not in alone.events]
            assert all(name.endswith("_failed") for name in more), more
            assert decision.effects == ()

    def seen(self, *hosts):
        self.view = self.view.but(presence={**self.view.presence, **dict.fromkeys(hosts, self.view.now)})

    def reply(self, host_id, step, reply, code=0):
        self.seen(host_id)
        self.happens(Replied(host_id=host_id, step=step, reply=reply, exit_code=code))

    def there(self, *states):
        return [host for host in self.view.living if not states or host.status in states]

    # Time

    @rule(minutes=st.sampled_from([0, 1, 2, 4, 20, 45, 90]))
    def time_passes(self, minutes):
        self.view = self.view.but(now=self.view.now + timedelta(minutes=minutes))
        self.happens(Ticked())

    @rule()
    def nobody_comes_for_weeks(self):
        self.view = self.view.but(now=self.view.now + timedelta(days=21))
        self.happens(Ticked())

    # Discovery

    @rule(hosts=st.sets(which, min_size=1))
    def machines_start(self, hosts):
        self.seen(*hosts)
        self.happens(
            *(Registered(host_id=host, infra_env_id=INFRA_ENV_ID, agent_version=AGENT) for host in sorted(hosts))
        )

    @rule(cores=st.sampled_from([1, 2, 4, 8, 8, 8]))
    def machines_describe_themselves(self, cores):
        for host in self.there():
            inventory = a_good_machine(HOSTS.index(host.id))
            self.reply(host.id, "inventory", inventory.but(cpu=inventory.cpu.but(count=cores)))

    @precondition(lambda self: any(host.inventory for host in self.there()))
    @rule(well=st.booleans())
    def machines_look_around(self, well):
        living = [host for host in self.there() if host.inventory]
        for host in living:
            others = [each for each in living if each.id != host.id]
            report = a_report(host, others if well else others[:1])
            self.reply(host.id, "connectivity-check", report)
            self.reply(host.id, "domain-resolution", DomainReply(resolutions=some_answers(self.view.cluster.domain)))
            self.reply(
                host.id, "ntp-synchronizer", NtpReply(ntp_sources=(NtpSource(source_name="n", source_state="synced"),))
            )
            vips = self.view.cluster.api_vips + self.view.cluster.ingress_vips
            free = tuple(VipCheck(vip=vip.ip, verification="succeeded") for vip in vips)
            self.reply(host.id, "verify-vips", free)
            self.happens(CheckedIn(host_id=host.id, clock_skew=0))

    @rule()
    def everything_is_fine(self):
        """A short cut to a cluster that can be installed."""
        self.machines_start(set(HOSTS))
        for number, host_id in enumerate(HOSTS):
            self.reply(host_id, "inventory", a_good_machine(number))
        self.machines_look_around(well=True)

    # Installation

    @rule()
    def the_user_installs(self):
        self.happens(Install())

    @rule(fails=st.sampled_from([False, False, False, True]))
    def preparation_goes_on(self, fails):
        attempt = self.view.cluster.preparation.attempt
        self.happens(Prepared(attempt=attempt, failure="no" if fails else "", openshift_cluster_id="o"))
        for host in self.there(HostState.PREPARING):
            self.reply(
                host.id,
                "installation-disk-speed-check",
                DiskSpeedReply(path=host.installation_disk_id, io_sync_duration=2),
            )
            self.reply(
                host.id,
                "container-image-availability",
                ImagesReply(images=(ImageStatus(name="i", result="failure" if fails else "success"),)),
            )

    @rule(far=st.integers(1, 12), seen=st.booleans())
    def hosts_go_on(self, far, seen):
        for host in self.there(HostState.INSTALLING, HostState.IN_PROGRESS):
            stages = host.stages(single_node=False)
            at = stages.index(host.progress.current_stage) if host.progress.current_stage in stages else -1
            for stage in stages[at + 1 : at + 1 + far]:
                if seen:
                    self.seen(host.id)
                self.happens(Progressed(host_id=host.id, stage=stage, info=""))

    @rule(host=which, stage=st.sampled_from([stage.value for stage in Stage]))
    def a_host_reports_any_stage(self, host, stage):
        self.happens(Progressed(host_id=host, stage=stage, info="x"))

    @rule(status=st.sampled_from(["progressing", "available", "failed"]))
    def the_controller_reports(self, status):
        self.happens(OperatorReported(name="console", status=status))
        decision = self.happens(IngressCaUploaded(pem="pem"))
        if decision.effects:
            self.happens(KubeconfigPublished())

    @rule(stage=st.sampled_from([stage.value for stage in FinalizingStage]))
    def the_controller_goes_on(self, stage):
        self.happens(FinalizingStageReported(stage=stage))

    @rule(host=which, state=st.sampled_from(["requested", "collecting", "completed"]), uploaded=st.booleans())
    def logs_come(self, host, state, uploaded):
        self.happens(HostLogsReported(host_id=host, state=state, uploaded=uploaded))
        self.happens(ClusterLogsReported(state=state, uploaded=uploaded))

    @rule(hosts=st.lists(which, min_size=2, max_size=4), skew=st.integers(-9, 9))
    def many_things_happen_at_once(self, hosts, skew):
        """What is taken together ends as what is taken one by one."""
        triggers = [CheckedIn(host_id=host, clock_skew=skew) for host in hosts]
        triggers += [
            Progressed(host_id=hosts[0], stage=Stage.WRITING),
            Cancel(),
            Progressed(host_id=hosts[1], stage=Stage.DONE),
        ]
        one_by_one = self.view
        for trigger in triggers:
            one_by_one = decide(one_by_one, trigger).view
        self.happens(*triggers)
        assert self.view.cluster.status is one_by_one.cluster.status
        assert [host.status for host in self.view.living] == [host.status for host in one_by_one.living]

    # Trouble

    @rule(host=which, step=st.sampled_from(sorted(STEPS)), code=st.sampled_from([1, 125, 256]))
    def a_step_fails(self, host, step, code):
        self.happens(Replied(host_id=host, step=step, exit_code=code, error="no"))

    @rule(what=st.sampled_from([Cancel(), Reset()]))
    def the_user_gives_up(self, what):
        self.happens(what)

    @rule(host=which)
    def a_host_is_given_up(self, host):
        self.happens(DeleteHost(host_id=host))

    # Hosts that come and go

    @rule(states=st.lists(st.sampled_from(sorted(BOUND)), min_size=5, max_size=5), status=st.sampled_from(ClusterState))
    def hosts_and_cluster_are_anywhere(self, states, status):
        """Whatever an old database, a bug of the past or a second service has left behind."""
        self.strayed = True
        stages = {HostState.IN_PROGRESS: Stage.WRITING, HostState.INSTALLED: Stage.DONE, HostState.ADDED: Stage.DONE}
        for host_id, state in zip(HOSTS, states, strict=True):
            host = self.view.hosts.get(host_id)
            if host is not None and host.deleted_at is None:
                progress = HostProgress(current_stage=stages.get(HostState(state)), stage_updated_at=self.view.now)
                self.view = self.view.with_host(host.but(status=HostState(state), progress=progress))
        self.view = self.view.with_cluster(self.view.cluster.but(status=status)).but(memo=None)
        self.happens(Ticked())

    @rule(host=which, ask=st.sampled_from([UnbindHost, ReclaimHost, InstallHost, ResetHost]))
    def a_host_is_asked_for_something(self, host, ask):
        self.happens(ask(host_id=host))

    @rule()
    def the_cluster_takes_in_hosts(self):
        self.happens(AllowAddHosts())

    @rule(host=which, role=st.sampled_from(["auto-assign", "master", "worker", "arbiter"]))
    def the_user_chooses_a_role(self, host, role):
        self.happens(UpdateHost(host_id=host, changes=HostUpdate(host_role=role)))

    @rule(names=st.sets(st.sampled_from(["lso", "odf", "cnv", "lvm", "mce", "openshift-ai", "nvidia-gpu"]), max_size=3))
    def the_user_chooses_operators(self, names):
        chosen = tuple(OperatorInput(name=name) for name in sorted(names))
        self.happens(UpdateCluster(changes=ClusterUpdate(olm_operators=chosen)))

    @rule(ids=st.sets(st.sampled_from(["all", "ntp-server-configured", "no-cidrs-overlapping"]), max_size=2))
    def the_user_does_not_care(self, ids):
        changed = self.view.cluster.but(ignored_cluster_validations=tuple(sorted(ids)))
        self.view = self.view.with_cluster(changed).but(memo=None)
        self.happens(Ticked())

    @rule(remove=st.sets(which, max_size=2))
    def the_user_wonders(self, remove):
        """What would follow is worked out without anything following."""
        before = self.view
        with suppress(MusterError):
            what_if(self.view, Supposition(remove=tuple(sorted(remove))))
        assert self.view is before

    # What always holds

    @invariant()
    def a_settled_view_decides_nothing(self):
        if hasattr(self, "view"):
            again = decide(self.view, Ticked())
            assert not again.changed, (again.changes, again.events)

    @invariant()
    def a_forgotten_memo_changes_nothing(self):
        if hasattr(self, "view"):
            again = decide(self.view.but(memo=None), Ticked())
            assert not again.changed, (again.changes, again.events)

    @invariant()
    def nothing_follows_from_time_before_the_deadline(self):
        if hasattr(self, "view"):
            deadline = decide(self.view, Ticked()).deadline
            assert deadline is None or deadline > self.view.now
            quiet = deadline - timedelta(milliseconds=1) if deadline else self.view.now + timedelta(days=90)
            again = decide(self.view.but(now=quiet), Ticked())
            assert not again.changed, (again.changes, again.events)

    @invariant()
    def words_are_whole_sentences(self):
        if hasattr(self, "view"):
            for record in (self.view.cluster, *self.view.living):
                assert not set("{}") & set(record.status_info), record.status_info
                assert record.status_info == record.status_info.strip(" :;-,"), record.status_info

    @invariant()
    def instructions_depend_on_the_view_alone(self):
        if hasattr(self, "view"):
            for host in self.view.living:
                assert instruct(self.view, host.id) == instruct(self.view.but(memo=None, presence={}), host.id)

    @invariant()
    def there_is_at_most_one_bootstrap(self):
        if hasattr(self, "view") and not self.view.cluster.single_node:
            assert sum(host.bootstrap for host in self.view.living) <= 1

    @invariant()
    def records_survive_the_store(self):
        if hasattr(self, "view"):
            for host in self.view.hosts.values():
                assert msgspec.json.decode(msgspec.json.encode(host), type=Host) == host
            cluster = self.view.cluster
            assert msgspec.json.decode(msgspec.json.encode(cluster), type=Cluster) == cluster

    @invariant()
    def percentages_are_percentages(self):
        if hasattr(self, "view"):
            assert 0 <= self.view.cluster.progress.total_percentage <= 100
            if self.view.cluster.status is ClusterState.INSTALLED and not self.strayed:
                assert self.view.cluster.progress.total_percentage == 100

    @invariant()
    def an_installed_cluster_has_its_control_plane(self):
        if hasattr(self, "view") and self.view.cluster.status is ClusterState.INSTALLED and not self.strayed:
            assert self.view.cluster.install_completed_at is not None
            assert self.view.cluster.kubeconfig_published


ClusterLife.TestCase.settings = settings(
    max_examples=40,
    stateful_step_count=30,
    deadline=None,
    derandomize=True,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
)
TestClusterLife = ClusterLife.TestCase


def test_a_life_in_which_all_goes_well_ends_in_an_installed_cluster():
    life = ClusterLife()
    life.described()
    life.everything_is_fine()
    assert life.view.cluster.status is ClusterState.READY, life.view.cluster.status_info
    life.the_user_installs()
    life.preparation_goes_on(fails=False)
    assert life.view.cluster.status is ClusterState.INSTALLING, life.view.cluster.status_info
    life.hosts_go_on(far=12, seen=True)
    assert life.view.cluster.status is ClusterState.FINALIZING, life.view.cluster.status_info
    life.the_controller_reports("available")
    assert life.view.cluster.status is ClusterState.INSTALLED, life.view.cluster.status_info
    assert life.view.cluster.progress.total_percentage == 100
