"""Calls about domains."""

from muster.wire.domains import DomainOut

from .endpoint import READER, v2

LIST_DOMAINS = v2("V2ListManagedDomains", "GET /domains", READER, answers=tuple[DomainOut, ...])
