"""Who is let in where AUTH_TYPE is local: every call, without credentials, with foreign ones, with those that fit."""

import pytest
import refusing
from calling import Caller, Reply
from making import Made

from muster.api.app import SERVED
from muster.wire.endpoints.endpoint import CARRIED_BY, IDS, IN_QUERY, STREAM, Endpoint, Scheme
from parts.keys import Locksmith

IN_PATH = {"api_key", "image_token"}
ROWS = sorted(
    (each.endpoint for each in SERVED if each.endpoint.access and not set(each.endpoint.parameters) & IN_PATH),
    key=lambda row: row.name,
)
"""Every row but those that are for everybody, and those whose path is the token: test_images.py has them."""
BY_NAME = pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.method} {row.path}")
NOBODY = "6d4c3bb6-70a4-4d4c-a1f6-9ab3c9a3b3f1"


def is_malformed(reply: Reply, *words: str, status: int = 400, row: Endpoint | None = None) -> bool:
    """An error before any operation, with these words in it, unless only the head was asked for."""
    if row is not None and row.method == "HEAD":
        return reply.status == status
    return refusing.is_malformed(reply, *words, status=status)


def path_of(row: Endpoint, it: Made) -> str:
    return row.url(**{name: getattr(it, name) if name in IDS else "text" for name in row.parameters})


def called(caller: Caller, row: Endpoint, it: Made, **shown: str) -> Reply:
    """Call a row with nothing in query and body but, perhaps, a token."""
    path, headers = path_of(row, it), {}
    for scheme, token in ((Scheme(name), token) for name, token in shown.items()):
        if scheme in IN_QUERY:
            path += f"?{CARRIED_BY[scheme]}={token}"
        else:
            headers[CARRIED_BY[scheme]] = token
    return caller.call(row.method, path, **headers)


# Every row


@BY_NAME
def test_without_credentials_nobody_is_let_in(scene, row):
    reply = called(scene.stranger, row, scene.own)
    assert is_malformed(reply, "token", status=401, row=row)
    assert reply.headers["WWW-Authenticate"] == "Bearer"
    if row.method != "HEAD":
        assert all(CARRIED_BY[each.scheme] in reply.said for each in row.access)


@BY_NAME
def test_what_is_no_token_lets_nobody_in(scene, row):
    for scheme in {access.scheme for access in row.access}:
        for rubbish in ("rubbish", "Bearer rubbish", "Bearer", "a.b.c", "Basic dXNlcjpwYXNz"):
            reply = called(scene.stranger, row, scene.own, **{scheme: rubbish.replace(" ", "%20")})
            assert is_malformed(reply, status=401, row=row)
            assert b"dXNlcjpwYXNz" not in reply.body


@BY_NAME
def test_a_token_signed_with_another_key_lets_nobody_in(scene, row):
    forger = Locksmith()
    tokens = {
        Scheme.USER: f"Bearer {forger.user()}",
        Scheme.AGENT: forger.infra_env(scene.own.infra_env_id),
        Scheme.LINK: forger.cluster(scene.own.cluster_id),
    }
    for scheme in {access.scheme for access in row.access} & tokens.keys():
        reply = called(scene.stranger, row, scene.own, **{scheme: tokens[scheme]})
        assert is_malformed(reply, status=401, row=row)
        assert tokens[scheme].encode() not in reply.body


@BY_NAME
def test_the_token_of_another_infra_env_or_cluster_opens_nothing(scene, row):
    foreign = (scene.smith.infra_env(scene.other.infra_env_id), scene.smith.cluster(scene.other.cluster_id))
    schemes = {access.scheme for access in row.access}
    for scheme in (Scheme.AGENT, Scheme.LINK):
        for token in foreign:
            reply = called(scene.stranger, row, scene.own, **{scheme: token})
            if scheme not in schemes:
                assert is_malformed(reply, status=401, row=row)
            elif set(row.parameters) & IDS:
                assert is_malformed(reply, "token", status=404, row=row)
            else:
                assert reply.status in {400, 404}, reply.body


@BY_NAME
def test_the_token_of_an_infra_env_is_not_a_users_and_the_other_way_round(scene, row):
    for access in row.access:
        if access.scheme is Scheme.USER:
            token = scene.smith.infra_env(scene.own.infra_env_id)
            assert is_malformed(called(scene.stranger, row, scene.own, userAuth=f"Bearer {token}"), status=401, row=row)
        else:
            assert is_malformed(
                called(scene.stranger, row, scene.own, **{access.scheme: scene.smith.user()}), status=401, row=row
            )


@BY_NAME
def test_a_user_may_make_the_calls_that_its_role_may_make(scene, row):
    roles = next((access.roles for access in row.access if access.scheme is Scheme.USER), None)
    if roles is None or row.gives == STREAM:
        return
    for role in ("user", "read-only-admin"):
        # What is not there cannot be changed, and it is asked first who may ask.
        it = Made(NOBODY, NOBODY, NOBODY)
        reply = called(scene.stranger, row, it, userAuth=f"bearer {scene.smith.user('bob', role)}")
        if not roles or role in roles:
            assert reply.status not in {401, 403}, reply.body
        else:
            assert is_malformed(reply, role, status=403, row=row)
    assert called(scene.admin, row, it).status not in {401, 403}


@BY_NAME
def test_an_agent_may_make_the_calls_that_are_for_agents(scene, row):
    if not any(access.scheme is Scheme.AGENT for access in row.access):
        return
    reply = called(scene.agent, row, scene.own)
    assert reply.status != 401
    assert "token" not in (reply.json or {}).get("message", "") if reply.status == 404 else True


# Order


def test_who_calls_is_asked_before_anything_else_but_the_way(scene):
    reply = scene.stranger.call("POST", "/api/assisted-install/v2/clusters/no-id/actions/install", {"x": 1})
    assert is_malformed(reply, status=401)
    assert is_malformed(scene.stranger.v2("GET /nosuch"), status=404)
    assert is_malformed(scene.stranger.v2("PUT /clusters"), status=405)
    assert is_malformed(scene.admin.v2("GET /clusters/no-id"), "UUID", status=400)


def test_whether_the_service_lives_is_told_to_everybody(scene):
    for path in ("/health", "/ready", "/metrics", "/openapi.json"):
        assert scene.stranger.call("GET", path).status == 200


def test_rows_of_agents_and_links_without_a_path_look_at_what_they_are_about_themselves():
    held = {Scheme.AGENT, Scheme.LINK}
    unguarded = {
        row.name for row in ROWS if held & {each.scheme for each in row.access} and not set(row.parameters) & IDS
    }
    assert unguarded == {"v2ListEvents", "v2TriggerEvent"}


def test_what_is_for_everybody_is_known():
    assert {each.endpoint.name for each in SERVED if not each.endpoint.access} == {
        "BootArtifact",
        "BootArtifactByPath",
        "ImageByCode",
    }
