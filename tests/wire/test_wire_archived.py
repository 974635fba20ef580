"""An archive of logs is handed on: what is secret about a cluster is not in it, all else is."""

import msgspec
import pytest

from builders import a_cluster, a_host, a_view
from muster.domain.hosts import FencingCredentials
from muster.domain.networks import Proxy
from muster.wire.archived import archived_manifest, archived_view
from muster.wire.clusters import cluster_out


def test_a_cluster_is_shown_without_its_secrets():
    proxy = Proxy(http_proxy="http://me:hush@proxy.example.com:3128", https_proxy="http://plain.example.com")
    cluster = a_cluster(pull_secret="hush", install_config_overrides='{"a": "hush"}', proxy=proxy)
    host = a_host(
        "h1",
        ignition_config_overrides='{"a": "hush"}',
        ignition_endpoint_token="hush",
        fencing_credentials=FencingCredentials(password="hush"),
    )
    shown = msgspec.json.encode(cluster_out(archived_view(a_view(cluster=cluster, hosts=[host])))).decode()
    assert "hush" not in shown
    assert "http://(secret)@proxy.example.com:3128" in shown
    assert "http://plain.example.com" in shown
    assert host.id in shown


def test_where_there_is_no_cluster_its_hosts_are_shown_alike():
    host = a_host("h1", ignition_endpoint_token="hush")
    assert archived_view(a_view(hosts=[host]).but(cluster=None)).hosts["h1"].ignition_endpoint_token == "(secret)"


PLAIN = b"# Mine.\nkind: ConfigMap\ndata: {key: value}\n---\n- {op: remove, path: /spec}\n"


def test_a_manifest_without_secrets_is_shown_as_it_was_written():
    assert archived_manifest(PLAIN, "openshift/mine.yaml") == PLAIN


@pytest.mark.parametrize(
    "text",
    [
        "kind: Secret\nmetadata: {name: mine}\ndata: {key: hush}",
        "kind: Secret\nmetadata: {name: mine}\nstringData:\n  key: hush\ndata: null",
        "kind: List\nitems:\n- kind: Secret\n  metadata: {name: mine}\n  data: {key: hush}",
        "kind: Pod\n---\nkind: Secret\nmetadata: {name: mine}\ndata: {key: hush}",
    ],
)
def test_what_a_secret_holds_is_not_shown(text):
    shown = archived_manifest(text.encode(), "openshift/mine.yaml").decode()
    assert "hush" not in shown
    assert '"key": "(secret)"' in shown
    assert '"name": "mine"' in shown


def test_what_cannot_be_read_is_not_shown():
    shown = archived_manifest(b"kind: [hush", "openshift/mine.yaml")
    assert shown == b"openshift/mine.yaml cannot be read, and is not shown, since it may be secret\n"
