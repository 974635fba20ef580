"""What Ignition would refuse is refused when it is written, and nothing else is: the real one is the judge."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from muster.domain.inputs.ignitions import ignition_problems
from parts.ignition import complaints, needs_ignition


def problems(config):
    return list(ignition_problems("override", json.dumps(config)))


def is_refused_by_ignition(config):
    return "error at" in complaints(json.dumps(config).encode())


def with_file(version="3.1.0", **entry):
    return {"ignition": {"version": version}, "storage": {"files": [{"path": "/a", **entry}]}}


def fetched(source, version="3.1.0", **more):
    return with_file(version, contents={"source": source, **more})


def with_units(*units):
    return {"ignition": {"version": "3.1.0"}, "systemd": {"units": list(units)}}


def with_users(**user):
    return {"ignition": {"version": "3.1.0"}, "passwd": {"users": [{"name": "core", **user}]}}


def with_head(**head):
    return {"ignition": {"version": "3.1.0", **head}}


def with_storage(**storage):
    return {"ignition": {"version": "3.1.0"}, "storage": storage}


A, B, BELOW = {"path": "/a"}, {"path": "/b"}, {"path": "/a/b"}
SUM = {"hash": f"sha256-{'0' * 64}"}

GOOD = {
    "nothing": with_head(),
    "nulls": with_head() | {"storage": None, "systemd": {"units": None}, "passwd": {"users": None, "groups": None}},
    "places": with_storage(files=[A], directories=[B], links=[{"path": "/c", "target": "/a"}]),
    "the root": with_storage(directories=[{"path": "/"}]),
    "a file below a file": with_storage(files=[A, BELOW]),
    "what nobody knows": with_head() | {"other": 5},
    "what comes later": with_storage(luks=[{"name": "x"}]),
    "a mode": with_file(mode=0o644),
    "an owner": with_file(user={"id": 5}, group={"name": "wheel"}),
    "no source": with_file(contents={"source": None}),
    "an empty source": with_file(contents={"source": ""}, overwrite=True),
    "a text": fetched("data:,hello%20world"),
    "a text with its kind": fetched("data:text/plain;charset=utf-8;base64,eA=="),
    "a link": fetched("https://a/b", compression="gzip", verification=SUM, httpHeaders=[{"name": "a", "value": "b"}]),
    "a blank in a path": fetched("http://a/b c"),
    "a bucket": fetched("s3://b/k"),
    "a bucket of the newer version": fetched("gs://b/k", "3.2.0"),
    "two pieces": with_file(append=[{"source": "data:,x"}, {"source": "data:,x"}]),
    "units": with_units({"name": "a.service"}, {"name": "b@c.timer", "dropins": [{"name": "x.conf"}]}),
    "users": with_users(sshAuthorizedKeys=["a", "b"], groups=["sudo"], uid=5),
    "others": with_head(config={"merge": [{"source": "http://a"}, {"source": "http://b"}]}),
    "another": with_head(config={"replace": {"source": "http://a"}}),
    "a proxy": with_head(proxy={"httpProxy": "http://a", "httpsProxy": "https://a", "noProxy": ["a", "b"]}),
}
BAD = {
    "override: storage.files[0].path: is 'a'": with_storage(files=[{"path": "a"}]),
    "override: storage.files[0].path: is ''": with_storage(files=[{"path": ""}]),
    "override: storage.files[0].path: is '//a'; write it as '/a'": with_storage(files=[{"path": "//a"}]),
    "override: storage.files[0].path: is '/a/../b/'; write it as '/b'": with_storage(files=[{"path": "/a/../b/"}]),
    "override: storage.files[1]: is the second thing at /a": with_storage(files=[A, A]),
    "override: storage.links[0]: is the second thing at /a": with_storage(files=[A], links=[{**A, "target": "/b"}]),
    "override: storage.files[0]: is at /a/b, below the link /a": with_storage(
        files=[BELOW], links=[{**A, "target": "/b"}]
    ),
    "override: storage.files[0].mode: is -1": with_file(mode=-1),
    "override: storage.directories[0].mode: is 99999": with_storage(directories=[{**A, "mode": 99999}]),
    "override: storage.files[0].user: has both": with_file(user={"id": 5, "name": "x"}),
    "override: storage.files[0].overwrite: is true": with_file(overwrite=True),
    "override: storage.files[0].contents.source: must be a URL": fetched("ftp://a"),
    "override: storage.files[0].contents.source: must be a URL that begins": fetched("hello"),
    "override: storage.files[0].contents.source: must be a URL that begins with one": fetched("http://[::1"),
    "override: storage.files[0].contents.source: must be a URL that begins with one of": fetched("http://a b/"),
    "override: storage.files[0].contents.source: must be a URL that begins with one of data": fetched("gs://b/k"),
    "override: storage.files[0].contents.source: begins with data:": fetched("data:,hello world{}"),
    "override: storage.files[0].contents.source: begins with data: and cannot": fetched("data:;base64,eA"),
    "override: storage.files[0].append[0].source: must be": with_file(append=[{"source": "x"}]),
    "override: storage.files[0].contents.compression: is 'xz'": fetched("data:,x", compression="xz"),
    "override: storage.files[0].contents.verification.hash: must": fetched("data:,x", verification={"hash": "md5-0"}),
    "override: storage.files[0].contents.httpHeaders: are for": fetched("data:,", httpHeaders=[{"name": "a"}]),
    "override: storage.files[0].contents.httpHeaders[0].name: is empty": fetched("http://a", httpHeaders=[{}]),
    "override: storage.files[0].contents.httpHeaders[1]: is there twice": fetched(
        "http://a", httpHeaders=[{"name": "a"}, {"name": "a"}]
    ),
    "override: systemd.units[0].name: is 'x'": with_units({"name": "x"}),
    "override: systemd.units[1]: is there twice": with_units({"name": "x.service"}, {"name": "x.service"}),
    "override: systemd.units[0].dropins[0].name: is 'y'": with_units({"name": "x.service", "dropins": [{"name": "y"}]}),
    "override: systemd.units[0].dropins[1]: is there": with_units(
        {"name": "x.path", "dropins": [{"name": "y.conf"}] * 2}
    ),
    "override: passwd.users[0].sshAuthorizedKeys[1]: is there": with_users(sshAuthorizedKeys=["a", "a"]),
    "override: passwd.users[0].groups[1]: is there twice": with_users(groups=["a", "a"]),
    "override: passwd.groups[1]: is there": with_head() | {"passwd": {"groups": [{"name": "a"}] * 2}},
    "override: ignition.config.merge[0].source: is missing": with_head(config={"merge": [{}]}),
    "override: ignition.config.merge[1]: is there": with_head(config={"merge": [{"source": "http://a"}] * 2}),
    "override: ignition.config.replace.source: must": with_head(config={"replace": {"source": "x://a"}}),
    "override: ignition.proxy.httpsProxy: must": with_head(proxy={"httpsProxy": "a"}),
    "override: ignition.proxy.noProxy[1]: is there": with_head(proxy={"noProxy": ["a", "a"]}),
}


@pytest.mark.parametrize("config", GOOD.values(), ids=GOOD)
def test_what_ignition_takes_is_taken(config):
    assert problems(config) == []


@pytest.mark.parametrize(("said", "config"), BAD.items(), ids=range(len(BAD)))
def test_what_ignition_refuses_is_told_with_its_path(said, config):
    (problem,) = problems(config)
    assert problem.startswith(said)


@needs_ignition
@pytest.mark.parametrize("config", [*GOOD.values(), *BAD.values()])
def test_ignition_itself_says_the_same(config):
    assert is_refused_by_ignition(config) is bool(problems(config))


def test_all_that_is_wrong_is_told_at_once_and_no_content():
    config = with_storage(files=[{"path": "a", "contents": {"source": "my secret"}}]) | {
        "systemd": {"units": [{"name": "x"}]}
    }
    found = problems(config)
    assert len(found) == 3
    assert "secret" not in "".join(found)


letters = st.characters(min_codepoint=32, max_codepoint=126)
sources = (
    st.text(letters, max_size=8).map(lambda text: f"data:,{text}")
    | st.text("ABz09+/=- ", max_size=9).map(lambda text: f"data:;base64,{text}")
    | st.text("ab/;=,.-", max_size=9).map(lambda text: f"data:{text},x")
    | st.text("ab/;=,.-", max_size=9).map(lambda text: f"data:text{text},x")
    | st.text("ab/;=,.-", max_size=9).map(lambda text: f"data:x-{text}/p,x")
    | st.text(letters, max_size=6).map(lambda text: f"http://host/{text}")
    | st.sampled_from(
        ["", "http:", "tftp://a", "HTTP://A", "file:///a", "data:", "s3://b/k", "http://[::1]/a", "gs://a"]
    )
)
paths = st.text("ab/.", max_size=6)


@needs_ignition
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(path=paths, source=sources, version=st.sampled_from(["3.1.0", "3.2.0"]), mode=st.integers(-1, 0o10000))
def test_any_path_and_source_is_judged_as_ignition_judges_it(path, source, version, mode):
    entry = {"path": path, "mode": mode, "contents": {"source": source}}
    config = {"ignition": {"version": version}, "storage": {"files": [entry]}}
    assert is_refused_by_ignition(config) is bool(problems(config))
