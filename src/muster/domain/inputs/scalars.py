"""Rules for single values: names, domains, proxies, time sources, tags, the ignition endpoint.

Each rule turns a text into the problems it has; `clusters.py` and `infra_envs.py` apply them. Patterns are
written so that no text, however long or odd, makes them try the same characters twice.
"""

import re
from collections.abc import Callable
from ipaddress import ip_address, ip_network
from urllib.parse import SplitResult, urlsplit

from msgspec import UNSET, UnsetType

from muster.domain.networks import Proxy
from muster.domain.releases import at_least

from .fields import Input, Problems, given

_LABEL = r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?"
_NAME = re.compile(_LABEL)
_DOTTED_NAME = re.compile(rf"{_LABEL}(?:\.{_LABEL})*")
_TIME_SOURCE = re.compile(r"[a-z0-9][a-z0-9.-]{0,61}[a-z0-9]")
_TAG = re.compile(r"\w+(?: \w+)*", re.ASCII)
_DOTTED_DECIMAL = re.compile(r"(?:[0-9]+\.){3}[0-9]+")

_SINGLE_LABEL_LENGTHS = range(2, 63)
_DOMAIN_LENGTH = 255
_APPS_LENGTH = 191
_LABEL_LENGTH = 63


class ProxyInput(Input):
    """How to reach the world outside, as far as it was written."""

    http_proxy: str | UnsetType = UNSET
    https_proxy: str | UnsetType = UNSET
    no_proxy: str | UnsetType = UNSET

    def over(self, proxy: Proxy) -> Proxy:
        """The proxy settings with what was written in place of what was there."""
        return Proxy(
            http_proxy=given(self.http_proxy, proxy.http_proxy),
            https_proxy=given(self.https_proxy, proxy.https_proxy),
            no_proxy=given(self.no_proxy, proxy.no_proxy),
        )


def reads_as(parse: Callable[[str], object], text: str) -> bool:
    """Whether a parser of the standard library takes a text."""
    try:
        parse(text)
    except ValueError:
        return False
    return True


def name_problems(name: str, *, dots: bool) -> Problems:
    """A cluster's name can be part of a domain; with `dots`, several parts. Nothing is asked of an empty one."""
    pattern = _DOTTED_NAME if dots else _NAME
    if name and not pattern.fullmatch(name):
        yield (
            f"name: {name!r} must consist of lower-case letters, digits and dashes, begin and end with a letter or"
            f" digit{', and may have dots between such parts' if dots else ''}"
        )


def is_domain(text: str) -> bool:
    """Whether a text can be a DNS domain."""
    if not _DOTTED_NAME.fullmatch(text) or _DOTTED_DECIMAL.fullmatch(text):
        return False
    labels = text.split(".")
    if len(labels) == 1:
        return len(text) in _SINGLE_LABEL_LENGTHS
    return len(text) <= _DOMAIN_LENGTH and len(labels[-1]) > 1


def domain_problems(name: str, domain: str) -> Problems:
    """The names of the cluster's services can be had below the domain; nothing is asked of an empty one."""
    if not name or not domain:
        return
    if not is_domain(domain):
        yield f"base_dns_domain: {domain!r} is not a DNS domain in lower case, such as lab.example.com"
        return
    apps = f"apps.{name}.{domain}"
    if len(apps) > _APPS_LENGTH:
        yield (
            f"base_dns_domain: {apps!r} has {len(apps)} characters and at most {_APPS_LENGTH} are possible;"
            " shorten the domain or the name"
        )
    longest = max(apps.split("."), key=len)
    if len(longest) > _LABEL_LENGTH:
        yield (
            f"base_dns_domain: the part {longest!r} has {len(longest)} characters;"
            f" between two dots at most {_LABEL_LENGTH} are possible"
        )


def url_of(text: str) -> SplitResult | None:
    """The parts of a URL; None if the text is none, or one that names no host."""
    if not text.isprintable() or " " in text:
        return None
    try:
        url = urlsplit(text)
        reachable = bool(url.hostname) and url.port != 0
    except ValueError:
        return None
    return url if reachable else None


def _url_problems(field: str, text: str, schemes: tuple[str, ...]) -> Problems:
    """A URL of one of the schemes. It may hold a password, so nothing of it is repeated."""
    url = url_of(text)
    if url is None or url.scheme not in schemes:
        wanted = " or ".join(f"{scheme}://" for scheme in schemes)
        yield f"{field}: must be a URL that begins with {wanted} and names a host"


def proxy_problems(proxy: ProxyInput, version: str, path: str = "") -> Problems:
    """Each proxy that was written is a URL, and the exceptions are addresses, networks or domains."""
    if http_proxy := given(proxy.http_proxy, ""):
        yield from _url_problems(f"{path}http_proxy", http_proxy, ("http",))
    if https_proxy := given(proxy.https_proxy, ""):
        yield from _url_problems(f"{path}https_proxy", https_proxy, ("http", "https"))
    if no_proxy := given(proxy.no_proxy, ""):
        yield from _no_proxy_problems(f"{path}no_proxy", no_proxy, version)


def _no_proxy_problems(field: str, text: str, version: str) -> Problems:
    if "*" in text:
        if not at_least(version, "4.8"):
            yield f"{field}: '*' needs OpenShift 4.8 or newer, and the version is {version!r}"
        return
    items = text.split(",")
    seen: set[str] = set()
    for item in items:
        if item in seen:
            yield f"{field}: {item!r} is listed twice"
        seen.add(item)
        target = item.removeprefix(".")
        if not (reads_as(ip_address, target) or _is_cidr(target) or is_domain(target)):
            yield (
                f"{field}: {item!r} is not an address, a network or a domain;"
                " separate the items by commas without spaces"
            )


def _is_cidr(text: str) -> bool:
    return "/" in text and reads_as(lambda cidr: ip_network(cidr, strict=False), text)


def ntp_problems(field: str, sources: str) -> Problems:
    """Each time source is an address or a host name; nothing is asked of an empty list."""
    for source in sources.split(",") if sources else ():
        if not reads_as(ip_address, source) and not _TIME_SOURCE.fullmatch(source):
            yield (
                f"{field}: {source!r} is neither an address nor a host name in lower case;"
                " separate time sources by commas without spaces"
            )


def exclusive_ntp_problems(additional_field: str, additional: str, sources: str) -> Problems:
    """Time sources are either added to those of the system or replace them."""
    if additional and sources:
        yield f"ntp_sources: replaces all time sources, so {additional_field} must be empty; clear one of the two"


def tag_problems(tags: str) -> Problems:
    """Each tag is made of words; nothing is asked of an empty list."""
    for tag in tags.split(",") if tags else ():
        if not _TAG.fullmatch(tag):
            yield (
                f"tags: {tag!r} must consist of letters, digits and underscores, with single spaces between words;"
                " separate tags by commas without spaces"
            )
