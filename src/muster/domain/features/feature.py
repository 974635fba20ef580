"""What a feature is: how far it is supported where, what it excludes, and when a user has asked for it.

The modules by theme (`topology`, `platforms`, `networks`, `images`, `operators`) are tables of these;
`listing` shows them to clients, `enforcement` holds users to them.
"""

from collections.abc import Callable

from muster.domain.clusters import Cluster, PlatformType
from muster.domain.hosts import Host
from muster.domain.infra_envs import InfraEnv
from muster.domain.record import Record

from .levels import ALWAYS, Level, Levels, Reason, Support, Until, holds, level_at

OCI = "oci"
"""An external platform that is known by its name."""


class Context(Record):
    """What support depends on; without a platform nothing is said against any."""

    version: str
    architecture: str = "x86_64"
    platform: PlatformType | None = None
    external_name: str = ""

    @property
    def platforms(self) -> tuple[str, ...]:
        """The names that the platform goes by in tables."""
        if self.platform is None:
            return ()
        named = self.platform is PlatformType.EXTERNAL and self.external_name == OCI
        return (self.platform, OCI) if named else (self.platform,)


class Plan(Record):
    """What users have asked for so far: a cluster with its hosts, a discovery image, or both."""

    cluster: Cluster | None = None
    hosts: tuple[Host, ...] = ()
    infra_env: InfraEnv | None = None


class Choice(Record):
    """How users ask for a feature, how it is called in a sentence, and how to do without it."""

    field: str
    words: str
    instead: str
    made: Callable[[Plan], bool]


NEVER = Choice(field="", words="", instead="", made=lambda _: False)
"""Nothing a user could ask for in a description."""


def of_cluster(test: Callable[[Cluster], bool]) -> Callable[[Plan], bool]:
    """A choice that is made in the description of a cluster."""
    return lambda plan: plan.cluster is not None and test(plan.cluster)


class Feature(Record):
    """Something that may be asked for, with all that is known of where it can be had."""

    id: str
    levels: Levels = ALWAYS
    levels_on: dict[str, Levels] = {}
    """Architectures with levels of their own."""
    not_on: Until = {}
    """Architectures that do not have it."""
    not_for: Until = {}
    """Platforms that do not have it."""
    elsewhere: Level = Level.UNAVAILABLE
    """The level on those platforms."""
    excludes: Until = {}
    """Ids of features it cannot be combined with."""
    choice: Choice = NEVER
    operator: str = ""
    """The name of the operator it is, if it is one."""
    platform: str = ""
    """The name of the platform it is, if it is one."""

    def active(self, plan: Plan) -> bool:
        """Whether users have asked for it."""
        return self.choice.made(plan)

    def levels_for(self, architecture: str) -> Levels:
        """Its levels on an architecture that has it."""
        return self.levels_on.get(architecture, self.levels)

    def lacking(self, context: Context) -> str | None:
        """The name of the platform that does not have it; None if nothing is said against the platform."""
        return next((name for name in context.platforms if holds(self.not_for, name, context.version)), None)

    def support(self, context: Context) -> Support:
        """How far it is supported, and why not further."""
        if holds(self.not_on, context.architecture, context.version):
            return Support(level=Level.UNAVAILABLE, reason=Reason.CPU_ARCHITECTURE)
        lacking = self.lacking(context)
        if lacking is not None:
            return Support(level=self.elsewhere, reason=Reason.OCI if lacking == OCI else Reason.PLATFORM)
        level = level_at(self.levels_for(context.architecture), context.version)
        return Support(level=level, reason=Reason.OPENSHIFT_VERSION if level is Level.UNAVAILABLE else None)

    def excluded(self, version: str) -> tuple[str, ...]:
        """The ids of the features that it cannot be combined with in a version."""
        return tuple(other for other in self.excludes if holds(self.excludes, other, version))


def exclusion(one: Feature, other: Feature, version: str) -> str | None:
    """Until which version two features exclude each other ("" for ever); None if they do not."""
    both = ((one, other), (other, one))
    return next((each.excludes[that.id] for each, that in both if holds(each.excludes, that.id, version)), None)
