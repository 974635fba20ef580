"""Turns the settings into the policy that decisions depend on. `wiring` asks for it."""

from muster.domain.inputs.requirements import read_requirements
from muster.domain.managed_domains import read_domains
from muster.domain.policy import LogLimits, Policy, with_time_to_prepare

from .files import is_fips, trust_in
from .table import Settings

SAME = frozenset(Settings.__struct_fields__) & frozenset(Policy.__struct_fields__)
"""What decisions take from the settings as it is."""


def policy_from(settings: Settings) -> Policy:
    """What decisions need of the settings. Raises `Invalid` naming what is wrong."""
    same = {name: getattr(settings, name) for name in SAME}
    trust = trust_in(settings.discovery)
    policy = Policy(
        **same | {"public_registries": settings.public_registries | trust.mirrors.sources},
        trust=trust,
        service_fips=is_fips(),
        requirements=read_requirements(settings.hardware),
        managed_domains=read_domains(settings.names.base_dns_domains),
        service_url=settings.own_url,
        image_service_url=settings.image_url,
        plain_service_url=settings.without_tls(settings.own_url),
        plain_image_service_url=settings.without_tls(settings.image_url),
        host_logs=LogLimits(
            first=settings.host_logs_pending, upload=settings.host_logs_collection, more=settings.host_logs_pending
        ),
        cluster_logs=LogLimits(
            first=settings.cluster_logs_pending,
            upload=settings.cluster_logs_collection,
            more=settings.cluster_logs_collection,
        ),
    )
    return with_time_to_prepare(policy)
