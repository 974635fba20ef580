"""What the tokens of users, infra-envs and clusters open, whose things are, and links that let their holder in."""

import json

import pytest
from calling import Caller
from guarding import Known
from listening import Listener
from making import CLUSTER, INFRA_ENV, a_cluster, a_host, an_infra_env, now, replies, said_by_the_recorded_host
from refusing import is_malformed

from muster.wire.tokens import Claims
from parts.keys import Locksmith
from parts.service import RunningService

NOBODY = "6d4c3bb6-70a4-4d4c-a1f6-9ab3c9a3b3f1"


# What tokens open


@pytest.fixture
def pool(scene) -> tuple[str, str, Caller]:
    """An infra-env without a cluster, a host of it, and its agent."""
    infra_env_id = an_infra_env(scene.admin)
    agent = scene.guards.agent(infra_env_id)
    host_id = a_host(agent, infra_env_id)
    path = f"/infra-envs/{infra_env_id}/hosts/{host_id}"
    agent.v2(f"GET {path}/instructions?timestamp={now()}")
    for step in ("inventory", "ntp-synchronizer"):
        replies(agent, path, step, said_by_the_recorded_host()[step])
    return infra_env_id, host_id, agent


def test_an_agent_reaches_its_infra_env_its_hosts_and_their_cluster(scene):
    it = scene.own
    for call in (
        f"GET /infra-envs/{it.infra_env_id}",
        f"GET /infra-envs/{it.infra_env_id}/hosts",
        f"GET {it.host}/instructions",
        f"GET {it.cluster}",
        f"GET {it.cluster}/hosts",
    ):
        assert scene.agent.v2(call).status == 200


def test_a_host_that_was_given_to_a_cluster_reaches_it_and_its_other_hosts(scene, pool):
    infra_env_id, host_id, agent = pool
    other = f"/infra-envs/{scene.own.infra_env_id}/hosts/{scene.own.host_id}"
    assert agent.v2(f"GET {scene.own.cluster}").status == 404
    assert agent.v2(f"GET {other}/instructions").status == 404
    body = {"cluster_id": scene.own.cluster_id}
    assert scene.admin.v2(f"POST /infra-envs/{infra_env_id}/hosts/{host_id}/actions/bind", body).status == 200
    assert agent.v2(f"GET {scene.own.cluster}").status == 200
    assert agent.v2(f"GET {other}/instructions").status == 200
    assert agent.v2(f"GET /infra-envs/{scene.own.infra_env_id}").status == 404
    assert agent.v2(f"GET /infra-envs/{scene.own.infra_env_id}/hosts/{host_id}/instructions").status == 404
    assert scene.agent.v2(f"GET /infra-envs/{infra_env_id}/hosts/{host_id}/instructions").status == 200


def test_a_host_of_the_pool_is_reached_by_its_own_agent_only(scene, pool):
    infra_env_id, host_id, agent = pool
    path = f"GET /infra-envs/{infra_env_id}/hosts/{host_id}/instructions"
    assert agent.v2(path).status == 200
    assert is_malformed(scene.agent.v2(path), status=404)


def test_the_token_of_a_cluster_opens_it_and_its_hosts(scene):
    holder = scene.guards.holder(scene.own.cluster_id)
    assert holder.v2(f"GET {scene.own.cluster}").status == 200
    assert holder.v2(f"GET {scene.own.host}/instructions").status == 200
    elsewhere = f"GET /infra-envs/{scene.other.infra_env_id}/hosts/{scene.own.host_id}/instructions"
    for call in (f"GET {scene.other.cluster}", f"GET {scene.other.host}/instructions", elsewhere):
        assert is_malformed(holder.v2(call), status=404)
    assert is_malformed(holder.v2(f"GET /infra-envs/{scene.own.infra_env_id}"), status=404)


def test_a_link_opens_exactly_what_it_is_for(scene):
    it, call = scene.own, scene.stranger.v2
    env, cluster = scene.smith.infra_env(it.infra_env_id), scene.smith.cluster(it.cluster_id)
    assert call(f"GET /infra-envs/{it.infra_env_id}?api_key={env}").status == 200
    assert call(f"GET {it.cluster}/downloads/files?file_name=master.ign&api_key={cluster}").status == 409
    assert is_malformed(call(f"GET {it.cluster}/downloads/files?file_name=master.ign&api_key={env}"), status=404)
    assert is_malformed(call(f"GET /infra-envs/{it.infra_env_id}?api_key={cluster}"), status=404)


@pytest.mark.parametrize(
    ("token", "query", "status"),
    [
        ("cluster", "cluster_id={0.cluster_id}", 200),
        ("cluster", "cluster_id={0.cluster_id}&host_ids={0.host_id}", 200),
        ("cluster", "cluster_id={1.cluster_id}", 404),
        ("cluster", "infra_env_id={0.infra_env_id}", 404),
        ("cluster", "host_id={0.host_id}", 404),
        ("cluster", "", 404),
        ("infra_env", "infra_env_id={0.infra_env_id}", 200),
        ("infra_env", "infra_env_id={0.infra_env_id}&host_id={0.host_id}", 200),
        ("infra_env", "host_id={0.host_id}", 200),
        ("infra_env", "infra_env_id={1.infra_env_id}", 404),
        ("infra_env", "infra_env_id={0.infra_env_id}&host_id={1.host_id}", 404),
        ("infra_env", "host_ids={0.host_id},{1.host_id}", 404),
        ("infra_env", "cluster_id={0.cluster_id}", 404),
        ("infra_env", "", 404),
    ],
)
def test_a_link_to_events_shows_those_it_is_for(scene, token, query, status):
    key = getattr(scene.smith, token)(getattr(scene.own, f"{token}_id"))
    reply = scene.stranger.v2(f"GET /events?{query.format(scene.own, scene.other)}&api_key={key}")
    assert reply.status == status, reply.body
    assert status == 200 or reply.json["kind"] == "Error"


@pytest.mark.parametrize(
    ("about", "status"),
    [
        ({"cluster_id": "own", "host_id": "own"}, 201),
        ({"host_id": "own"}, 201),
        ({"infra_env_id": "own"}, 201),
        ({"cluster_id": "other"}, 404),
        ({"cluster_id": "own", "host_id": "other"}, 404),
        ({"infra_env_id": "own", "host_id": "other"}, 404),
        ({"cluster_id": "own", "infra_env_id": "other"}, 404),
        ({"host_id": "other"}, 404),
        ({"infra_env_id": "other", "host_id": "other"}, 404),
        ({}, 404),
    ],
)
def test_an_agent_tells_of_its_own_only(scene, about, status):
    told = {"severity": "info", "message": "it rains", "event_time": "2024-05-01T10:11:12Z"}
    named = {name: getattr(getattr(scene, whose), name) for name, whose in about.items()}
    assert scene.agent.v2("POST /events", told | named).status == status


def test_tokens_open_everything_where_that_is_wanted(tmp_path):
    smith = Locksmith()
    running = RunningService(tmp_path, {**smith.environment, "LOCAL_AUTH_ENFORCE_RESOURCE_SCOPE": "false"})
    running.start()
    admin = Known(running.url, {"Authorization": f"Bearer {smith.user()}"})
    infra_env_id, cluster_id = an_infra_env(admin), a_cluster(admin)
    agent = Known(running.url, {"X-Secret-Key": smith.infra_env(infra_env_id)})
    assert agent.v2(f"GET /clusters/{cluster_id}").status == 200
    assert is_malformed(agent.v2("GET /clusters"), status=401)
    for each in (admin, agent):
        each.close()
    running.stop()


def test_a_token_for_what_is_gone_or_never_was_lets_nobody_in(scene):
    infra_env_id, cluster_id = an_infra_env(scene.admin), a_cluster(scene.admin)
    agent, holder = scene.guards.agent(infra_env_id), scene.guards.holder(cluster_id)
    assert agent.v2(f"GET /infra-envs/{infra_env_id}").status == 200
    assert holder.v2(f"GET /clusters/{cluster_id}").status == 200
    assert scene.admin.v2(f"DELETE /infra-envs/{infra_env_id}").status == 204
    assert scene.admin.v2(f"DELETE /clusters/{cluster_id}").status == 204
    assert is_malformed(agent.v2(f"GET /infra-envs/{infra_env_id}"), "does not exist any more", status=401)
    assert is_malformed(holder.v2(f"GET /clusters/{cluster_id}"), "does not exist any more", status=401)
    never = scene.guards.agent(NOBODY)
    assert is_malformed(never.v2(f"GET /infra-envs/{NOBODY}"), status=401)


def test_a_token_ends_when_it_says_so(scene):
    for exp, status in ((1_000_000_000, 401), (4_000_000_000, 200)):
        token = scene.smith.keys.signed(Claims(user="bob", role="user", exp=exp))
        assert scene.stranger.v2("GET /clusters", Authorization=f"Bearer {token}").status == status


@pytest.mark.parametrize(
    "claims", [Claims(), Claims(user="bob"), Claims(user="bob", role="king"), Claims(role="admin")]
)
def test_a_users_token_needs_a_name_and_a_role_that_there_is(scene, claims):
    token = scene.smith.keys.signed(claims)
    assert is_malformed(scene.stranger.v2("GET /clusters", Authorization=f"Bearer {token}"), status=401)
    assert is_malformed(scene.stranger.v2(f"GET {scene.own.cluster}", **{"X-Secret-Key": token}), status=401)


def test_the_first_credential_that_is_good_counts(scene):
    shown = {"Authorization": "Bearer rubbish", "X-Secret-Key": scene.smith.infra_env(scene.own.infra_env_id)}
    assert scene.stranger.v2(f"GET {scene.own.cluster}", **shown).status == 200
    shown = {"Authorization": "Bearer rubbish", "X-Secret-Key": "rubbish as well"}
    assert is_malformed(scene.stranger.v2(f"GET {scene.own.cluster}", **shown), "can be read", status=401)


# Whose things are


def test_what_a_user_makes_is_the_users(scene):
    carol = scene.guards.user("carol", "user", email="carol@lab.example", org_id="17")
    cluster = carol.v2("POST /clusters", CLUSTER).json
    infra_env = carol.v2("POST /infra-envs", INFRA_ENV | {"cluster_id": cluster["id"]}).json
    for record in (cluster, infra_env):
        assert [record[key] for key in ("user_name", "org_id", "email_domain")] == ["carol", "17", "lab.example"]
    agent = scene.guards.agent(infra_env["id"])
    host_id = a_host(agent, infra_env["id"])
    host = carol.v2(f"GET /infra-envs/{infra_env['id']}/hosts/{host_id}").json
    assert host["user_name"] == "carol"
    history = carol.ours(f"GET /clusters/{cluster['id']}/history").json
    assert history["changes"][0]["actor"] == "carol"
    history = carol.ours(f"GET /infra-envs/{infra_env['id']}/hosts/{host_id}/history").json
    assert history["changes"][0]["actor"] == f"infra-env {infra_env['id']}"


def test_every_user_sees_everything(scene):
    dave = scene.guards.user("dave", "user")
    seen = {each["id"] for each in dave.v2("GET /clusters").json}
    assert {scene.own.cluster_id, scene.other.cluster_id} <= seen


def test_the_stream_is_for_users_too(guarded, scene):
    assert is_malformed(scene.stranger.ours("GET /stream"), status=401)
    with Listener(guarded.url, headers={"Authorization": f"Bearer {scene.smith.user()}"}) as listener:
        a_cluster(scene.admin)
        listener.take(1)


# Links that are handed out


def test_links_to_an_image_are_the_same_each_time_and_open_it(scene):
    it, token = scene.own, scene.smith.infra_env(scene.own.infra_env_id)
    urls = {scene.admin.v2(f"GET /infra-envs/{it.infra_env_id}").json["download_url"] for _ in range(3)}
    urls.add(scene.admin.v2(f"GET /infra-envs/{it.infra_env_id}/downloads/image-url").json["url"])
    (url,) = urls
    assert url.partition("/byapikey/")[2] == f"{token}/4.20/x86_64/full.iso"
    listed = {each["id"]: each["download_url"] for each in scene.admin.v2("GET /infra-envs").json}
    assert listed[it.infra_env_id] == url


def test_links_to_files_of_an_image_let_their_holder_in(guarded, scene):
    path = f"/infra-envs/{scene.own.infra_env_id}/downloads/files-presigned?file_name=discovery.ign"
    url = scene.admin.v2(f"GET {path}").json["url"]
    reply = scene.stranger.call("GET", url.partition(f":{guarded.port}")[2])
    assert reply.status == 200


def test_agents_find_their_token_in_the_image_and_scripts_find_their_way_back(scene):
    it, token = scene.own, scene.smith.infra_env(scene.own.infra_env_id)
    files = f"GET /infra-envs/{it.infra_env_id}/downloads/files?file_name="
    ignition = json.loads(scene.admin.v2(f"{files}discovery.ign").body)
    units = {unit["name"]: unit.get("contents", "") for unit in ignition["systemd"]["units"]}
    assert f"PULL_SECRET_TOKEN={token}" in units["agent.service"]
    assert f"api_key={token}" in scene.admin.v2(f"{files}ipxe-script").body.decode()
    asks = scene.admin.v2(f"{files}ipxe-script&ipxe_script_type=boot-order-control").body.decode()
    assert f"api_key={token}&mac=" in asks


def test_where_nobody_is_asked_links_are_plain(api):
    infra_env_id = an_infra_env(api)
    shown = api.v2(f"GET /infra-envs/{infra_env_id}", **{"X-Secret-Key": "anything", "Authorization": "x"})
    assert f"/byid/{infra_env_id}/" in shown.json["download_url"]


def test_made_up_ids_do_no_harm(scene):
    strange = scene.guards.agent("../../etc")
    assert is_malformed(strange.v2(f"GET {scene.own.cluster}"), status=401)
    assert is_malformed(scene.agent.v2("GET /clusters/..%2f"), status=404)
