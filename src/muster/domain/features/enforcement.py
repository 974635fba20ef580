"""What the tables say against a cluster or a discovery image as a user wants it.

Turns a description into sentences, each of which names the field and the way out; the rules for input ask here
once each value is right by itself.
"""

from collections.abc import Iterable, Iterator
from itertools import combinations, product

from muster.domain.clusters import Cluster
from muster.domain.hosts import Host
from muster.domain.infra_envs import InfraEnv
from muster.domain.releases import at_least

from . import FEATURES
from .architectures import BY_NAME, architecture_level
from .feature import Context, Feature, Plan, exclusion
from .levels import Level, Reason, holds

Problems = Iterator[str]


def feature_problems(
    cluster: Cluster | None, hosts: tuple[Host, ...] = (), infra_env: InfraEnv | None = None
) -> Problems:
    """What cannot be had, or not together, of what a cluster asks for; of a discovery image, where one is given.

    An image is judged for itself and with what its cluster asks for, if it has one; what a cluster asks for is
    judged once more for the architecture of the image. A cluster that runs is past being judged.
    """
    if cluster is not None and cluster.day2:
        return
    plan = Plan(cluster=cluster, hosts=hosts)
    if infra_env is not None:
        yield from _image_problems(infra_env, plan)
    elif cluster is not None:
        yield from _cluster_problems(cluster, plan)


def _cluster_problems(cluster: Cluster, plan: Plan) -> Problems:
    context = _context(cluster).but(version=cluster.openshift_version, architecture=cluster.cpu_architecture)
    if not _runs(context):
        yield _does_not_run(context)
        return
    active = _active(plan)
    yield from (_impossible(feature, context) for feature in active if not _possible(feature, context))
    yield from _pair_problems(
        combinations((feature for feature in active if _possible(feature, context)), 2), context.version
    )


def _image_problems(infra_env: InfraEnv, plan: Plan) -> Problems:
    cluster = plan.cluster
    version = infra_env.openshift_version if cluster is None else cluster.openshift_version
    context = _context(cluster).but(version=version, architecture=infra_env.cpu_architecture)
    whose = f" (infra-env {infra_env.name})"
    if not _runs(context):
        yield _does_not_run(context, whose)
        return
    own, others = _active(Plan(infra_env=infra_env)), _active(plan)
    yield from (_impossible(feature, context, whose) for feature in own if not _possible(feature, context))
    if cluster is not None and cluster.cpu_architecture != infra_env.cpu_architecture:
        yield from (
            _impossible(feature, context, whose)
            for feature in others
            if holds(feature.not_on, context.architecture, version)
        )
    yield from _pair_problems(
        product((feature for feature in own if _possible(feature, context)), others), version, whose
    )


def _context(cluster: Cluster | None) -> Context:
    """The platform as far as there is one."""
    if cluster is None:
        return Context(version="")
    return Context(version="", platform=cluster.platform.type, external_name=cluster.platform.platform_name)


def _active(plan: Plan) -> tuple[Feature, ...]:
    return tuple(feature for feature in FEATURES if feature.active(plan))


def _runs(context: Context) -> bool:
    return architecture_level(context.architecture, context.version) is not Level.UNAVAILABLE


def _does_not_run(context: Context, whose: str = "") -> str:
    known = BY_NAME.get(context.architecture)
    if known is None:
        return f"cpu_architecture: {context.architecture!r} is not known{whose}; use one of {', '.join(BY_NAME)}"
    return (
        f"cpu_architecture: {context.architecture} needs OpenShift {known.levels[0][0]} or newer, and the version is"
        f" {context.version}{whose}; use x86_64"
    )


def _possible(feature: Feature, context: Context) -> bool:
    return feature.support(context).level is not Level.UNAVAILABLE


def _impossible(feature: Feature, context: Context, whose: str = "") -> str:
    choice = feature.choice
    return f"{choice.field}: {choice.words} {_why_not(feature, context)}{whose}; {choice.instead}"


def _why_not(feature: Feature, context: Context) -> str:
    if feature.support(context).reason is Reason.CPU_ARCHITECTURE:
        return f"is not possible on {context.architecture}{_before(feature.not_on[context.architecture])}"
    platform = feature.lacking(context)
    if platform is not None:
        return f"is not possible on platform {platform}{_before(feature.not_for[platform])}"
    levels = feature.levels_for(context.architecture)
    first, last = levels[0][0], levels[-1][0]
    if at_least(context.version, first):
        return f"is no longer possible from OpenShift {last} on, and the version is {context.version}"
    return f"needs OpenShift {first} or newer, and the version is {context.version}"


def _before(until: str) -> str:
    return f" before OpenShift {until}" if until else ""


def _pair_problems(pairs: Iterable[tuple[Feature, Feature]], version: str, whose: str = "") -> Problems:
    for one, other in pairs:
        until = exclusion(one, other, version)
        if until is not None:
            mine, theirs = one.choice, other.choice
            yield (
                f"{mine.field}: {mine.words} cannot be combined with {theirs.words}{_before(until)}{whose};"
                f" {mine.instead}, or {theirs.instead}"
            )
