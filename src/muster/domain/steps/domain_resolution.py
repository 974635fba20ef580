"""The `domain-resolution` step: what the names of the cluster mean on the host."""

from ipaddress import ip_address

from muster.domain.networks import Resolution
from muster.domain.record import Record
from muster.domain.views import HostView

from .step import Args, Step


class Domain(Record):
    """A name to look up."""

    domain_name: str


class DomainRequest(Record):
    """The names to look up."""

    domains: tuple[Domain, ...]


class DomainReply(Record):
    """What they mean."""

    resolutions: tuple[Resolution, ...] = ()


def _registry(image: str) -> str:
    """The host part of an image reference, unless it is an address."""
    host = image.split("/", 1)[0].rsplit(":", 1)[0]
    try:
        ip_address(host.strip("[]"))
    except ValueError:
        return host
    return ""


def _ask(view: HostView) -> Args | None:
    cluster = view.cluster
    if cluster is None or not cluster.name or not cluster.base_dns_domain:
        return None
    names = [
        f"api.{cluster.domain}",
        f"api-int.{cluster.domain}",
        f"console-openshift-console.apps.{cluster.domain}",
        f"validateNoWildcardDNS.{cluster.domain}.",
        f"validateNoWildcardDNS.{cluster.domain}",
    ]
    if not cluster.day2 and (registry := _registry(cluster.ocp_release_image)):
        names.append(registry)
    return (DomainRequest(domains=tuple(Domain(domain_name=name) for name in names)),)


STEP = Step(
    kind="domain-resolution",
    ask=_ask,
    reads=DomainReply,
    learn=lambda view, reply: view.host.but(resolutions=reply.resolutions),
)
