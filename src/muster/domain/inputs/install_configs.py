"""What users may change about the install-config of a cluster.

Turns the text that a user wrote into a changed cluster; `accepts/clusters.py` calls it. The state of the cluster does
not matter: what comes too late has no effect.
"""

import msgspec

from muster.domain.artifacts.install_config import Tree, install_config, read_overrides
from muster.domain.artifacts.install_schema import misfits
from muster.domain.clusters import Cluster
from muster.domain.errors import Invalid
from muster.domain.monitored import CONSOLE, MonitoredOperator
from muster.domain.releases import at_least
from muster.domain.views import View

from .credentials import is_certificates
from .fields import Problems, require_none

FIELD = "install_config_overrides"


def with_overrides(cluster: Cluster, text: str, view: View) -> Cluster:
    """The cluster of a view with these changes in place of those before; "" takes them away.

    The outcome must be an install-config, so what the hosts lack for one is told here too.
    """
    require_none(_problems(text))
    wanted = cluster.but(install_config_overrides=text)
    _config_of(wanted, view)
    return wanted if cluster.day2 else wanted.but(operators=_with_or_without_console(wanted))


def install_config_text(view: View) -> str:
    """The install-config of a cluster as it would be used now, as JSON text, which is YAML too."""
    cluster = view.cluster
    assert cluster is not None
    if cluster.day2:
        raise Invalid(f"Cluster {cluster.name} runs already; there is no install-config for it")
    return msgspec.json.encode(_config_of(cluster, view)).decode()


def _config_of(cluster: Cluster, view: View) -> Tree:
    return install_config(cluster, view.living, tuple(view.infra_envs.values()), view.policy.trust)


def _problems(text: str) -> Problems:
    """The text is an object that fits into an install-config; what it holds may be secret and is not quoted."""
    wish = read_overrides(text)
    if wish is None:
        yield f'{FIELD}: must be the text of a JSON object, such as {{"fips": true}}'
        return
    yield from misfits(wish, FIELD)
    bundle = wish.get("additionalTrustBundle")
    if bundle and isinstance(bundle, str) and not is_certificates(bundle):
        yield f"{FIELD}.additionalTrustBundle: must consist of certificates in PEM form (-----BEGIN CERTIFICATE-----)"


def _with_or_without_console(cluster: Cluster) -> tuple[MonitoredOperator, ...]:
    """The operators to wait for: a console that will not be there is none of them."""
    known = {each.name for each in cluster.operators}
    if lacks_console(cluster):
        return tuple(each for each in cluster.operators if each.name != CONSOLE.name)
    return cluster.operators if CONSOLE.name in known else (CONSOLE, *cluster.operators)


def lacks_console(cluster: Cluster) -> bool:
    """Whether the user has chosen capabilities without a console."""
    wish = read_overrides(cluster.install_config_overrides) or {}
    chosen = wish.get("capabilities") or {}
    added = chosen.get("additionalEnabledCapabilities") or ()
    return (
        at_least(cluster.openshift_version, "4.12")
        and chosen.get("baselineCapabilitySet") == "None"
        and "Console" not in added
    )
