"""What goes into an archive of logs without its secrets, since such archives are handed on to others.

`api/logs.py` packs what comes out of it: the records of a cluster, and its manifests.
"""

import json
import re
from typing import Any

from muster.domain.clusters import Cluster
from muster.domain.errors import Invalid
from muster.domain.hosts import Host
from muster.domain.networks import Proxy
from muster.domain.record import SECRET
from muster.domain.views import View

from .recorder import masked, unmasked
from .yaml_text import documents

_LOGIN = re.compile(r"(?<=://)[^/@]*(?=@)")
"""Who calls, and by which password, in an address."""

_OF_SECRETS = ("data", "stringData")
"""Where a Secret has what is secret."""


def archived_view(view: View) -> View:
    """A cluster and its hosts, to be shown to anybody."""
    hosts: dict[str, Host] = {key: unmasked(Host, masked(host)) for key, host in view.hosts.items()}
    if view.cluster is None:
        return view.but(hosts=hosts)
    cluster: Cluster = unmasked(Cluster, masked(view.cluster))
    return view.but(hosts=hosts, cluster=cluster.but(proxy=_without_logins(view.cluster.proxy)))


def _without_logins(proxy: Proxy) -> Proxy:
    """By way of whom the world outside is reached is worth knowing."""
    return proxy.but(http_proxy=_LOGIN.sub(SECRET, proxy.http_proxy), https_proxy=_LOGIN.sub(SECRET, proxy.https_proxy))


def archived_manifest(content: bytes, name: str) -> bytes:
    """A manifest as it was written; if there are Secrets in it, what they hold is not shown."""
    try:
        trees = documents(content, name)
    except Invalid:
        return f"{name} cannot be read, and is not shown, since it may be secret\n".encode()
    shown = [_without_secrets(tree) for tree in trees]
    if shown == list(trees):
        return content
    return "---\n".join(f"{json.dumps(tree, indent=2)}\n" for tree in shown).encode()


def _without_secrets(tree: Any) -> Any:
    if isinstance(tree, list):
        return [_without_secrets(each) for each in tree]
    if not isinstance(tree, dict):
        return tree
    hidden = _OF_SECRETS if tree.get("kind") == "Secret" else ()
    return {
        key: dict.fromkeys(value, SECRET) if key in hidden and isinstance(value, dict) else _without_secrets(value)
        for key, value in tree.items()
    }
