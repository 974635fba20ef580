"""A secret that was given is never given back: not by any answer, stream, history, event or line of the log."""

import base64
import json

from calling import Caller
from listening import Listener
from making import Made, a_ready_single_node, finalizing, installed, installing
from processes import ServiceProcess

from muster.wire.endpoints import ENDPOINTS
from muster.wire.endpoints.endpoint import JSON, OURS

MARKER = "ThisIsVerySecret"
HIDDEN = base64.b64encode(f"user:{MARKER}".encode()).decode()
PULL_SECRET = json.dumps({"auths": {"cloud.openshift.com": {"auth": HIDDEN}}})
TOKEN = f"token-{MARKER}"


def readable() -> list[str]:
    """Every path that can be read and answers with JSON."""
    return [each.path for each in ENDPOINTS if each.method == "GET" and each.gives == JSON]


MEANT_TO = ("/credentials", "/install-config", "/ignition", "/discovery-ignition")
"""What is asked for because of the secrets in it."""


def everything_said(api: Caller, it: Made) -> dict[str, bytes]:
    ids = it._asdict() | {"operator_name": "lso", "id": "virtualization"}
    queries = ("", "?with_hosts=true&with-inventory=true&with-connectivity=true&limit=-1&categories=user,metrics")
    return {
        f"{path}{query}": api.call("GET", path.format(**ids) + query).body
        for path in readable()
        for query in queries
        if not path.endswith(MEANT_TO)
    }


def has_secret(said: bytes) -> bool:
    return MARKER.encode() in said or HIDDEN.encode() in said


def test_no_secret_comes_back(tmp_path):
    with ServiceProcess(tmp_path, LOG_LEVEL="debug") as running:
        api = Caller(running.url)
        it = a_ready_single_node(api, pull_secret=PULL_SECRET)
        answers = [
            api.v2(f"PATCH {it.cluster}", {"pull_secret": PULL_SECRET, "tags": "x"}).body,
            api.v2(f"PATCH /infra-envs/{it.infra_env_id}", {"pull_secret": PULL_SECRET}).body,
            api.v2(
                f"PATCH {it.host}",
                {"ignition_endpoint_token": TOKEN, "ignition_endpoint_http_headers": [{"key": "A", "value": TOKEN}]},
            ).body,
            *refused_with_secrets(api, it),
        ]
        for grow in (installing, finalizing, installed):
            grow(api, it)
            answers += everything_said(api, it).values()
        answers.append(api.v2(f"GET {it.cluster}/logs").body)
        with Listener(running.url, after="0.0") as listener:
            count = len(api.ours(f"GET {it.cluster}/history").json["changes"])
            listener.take(count)
            answers.append(listener.raw)
        api.close()
    assert len(answers) > 40
    assert not [each for each in answers if has_secret(each)]
    assert not has_secret(running.log.read_bytes())
    assert has_secret(running.data.joinpath("muster.db").read_bytes()), "the secret must be somewhere"


def refused_with_secrets(api: Caller, it: Made) -> list[bytes]:
    """What is said against bodies that hold a secret in the wrong place or shape."""
    bodies = [
        {"pull_secret": MARKER},
        {"pull_secret": {"auths": MARKER}},
        {"pull_secret": json.dumps({"auths": {"x": {"auth": MARKER}}})},
        {"http_proxy": f"ftp://user:{MARKER}@proxy"},
        {"no_such_field": MARKER},
    ]
    replies = [api.v2(f"PATCH {it.cluster}", body) for body in bodies]
    replies.append(
        api.v2(f"PATCH {it.host}", {"fencing_credentials": {"address": "a", "username": "u", "password": TOKEN}})
    )
    assert {each.status for each in replies} == {400}
    return [each.body for each in replies]


def test_our_own_paths_are_looked_at_too():
    assert sum(path.startswith(OURS) for path in readable()) == 7
