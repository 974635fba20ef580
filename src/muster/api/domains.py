"""Domains over REST."""

from muster.api.call import Call, serves
from muster.wire.domains import DomainOut, domain_out
from muster.wire.endpoints import domains as rows


@serves(rows.LIST_DOMAINS)
async def list_domains(call: Call) -> list[DomainOut]:
    """The domains whose names the service can create."""
    return [domain_out(each) for each in call.service.policy.managed_domains]
