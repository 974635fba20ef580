"""A host that is taken back fetches the discovery image by links that let it in, where callers are asked."""

import json
from urllib.parse import parse_qs, urlsplit

from builders import INFRA_ENV_ID, a_policy, a_pool_view, a_ready_host, an_infra_env
from muster.api.auth.links import Links
from muster.api.memories import InstructionBook
from muster.domain.hosts import HostState
from muster.wire.tokens import Keys
from parts.keys import Locksmith


def links_for(links):
    view = a_pool_view(a_ready_host("m1")).but(policy=a_policy(), infra_envs={INFRA_ENV_ID: an_infra_env()})
    view = view.with_host(view.hosts["m1"].but(status=HostState.RECLAIMING))
    told = InstructionBook().of(view, "m1", lambda url: links.signed(url, infra_env_id=INFRA_ENV_ID))
    (step,) = json.loads(told)["instructions"]
    return json.loads(step["args"][0])


def test_the_initrd_which_holds_secrets_is_opened_by_a_token_in_its_link():
    keys = Keys(Locksmith().environment["EC_PRIVATE_KEY_PEM"])
    parts = links_for(Links(keys))
    (token,) = parse_qs(urlsplit(parts["initrd_url"]).query)["api_key"]
    assert keys.read(token).infra_env_id == INFRA_ENV_ID
    assert "api_key" not in parts["kernel_url"] + parts["rootfs_url"]


def test_where_nobody_is_asked_links_are_plain():
    assert "api_key" not in links_for(Links(None))["initrd_url"]
