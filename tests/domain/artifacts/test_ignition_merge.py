"""Any two configs are merged as the real Ignition merges them when a machine starts."""

import json
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from muster.domain.artifacts.ignition import merged
from parts.ignition import merged_by_ignition, needs_ignition, told

TEXTS = st.sampled_from(["data:,one", "data:,two", "data:;base64,dGhyZWU="])
MODES = st.sampled_from([0o600, 0o644, 0o755])
KINDS = st.sampled_from(["files", "directories", "links"])
WORDS = st.sampled_from(["one", "two", "three"])


def some(**fields):
    """An object with some of these fields."""
    return st.fixed_dictionaries({}, optional=fields)


def of(keys, **fields):
    """Objects that have different names for themselves, each with some of these fields."""
    (key, names), rest = next(iter(keys.items())), some(**fields)
    listed = st.dictionaries(st.sampled_from(names), rest, max_size=len(names))
    return listed.map(lambda found: [{key: name, **each} for name, each in found.items()])


resource = st.fixed_dictionaries({"source": TEXTS}, optional={"compression": st.just("gzip")})
parts = {"mode": MODES, "append": st.lists(resource, max_size=2)}
written = st.fixed_dictionaries({"contents": resource}, optional={"overwrite": st.booleans(), **parts})
KIND_OF = {
    "files": written | some(**parts),
    "directories": some(mode=MODES, user=some(name=WORDS)),
    "links": st.fixed_dictionaries({"target": st.just("/elsewhere")}, optional={"hard": st.booleans()}),
}
placed = KINDS.flatmap(lambda kind: KIND_OF[kind].map(lambda entry: (kind, entry)))


@st.composite
def storages(draw):
    """What lies where: at a path there is one thing only."""
    storage = {}
    for path, (kind, entry) in draw(st.dictionaries(st.sampled_from(["/a", "/b", "/c"]), placed)).items():
        storage.setdefault(kind, []).append({"path": path, **entry})
    disks = draw(of({"device": ["/dev/sda", "/dev/sdb"]}, wipeTable=st.booleans()))
    return storage | ({"disks": disks} if disks else {})


unit = of(
    {"name": ["agent.service", "chronyd.service"]},
    enabled=st.booleans(),
    mask=st.booleans(),
    contents=st.just("[Service]\nExecStart=/bin/true\n[Install]\nWantedBy=multi-user.target\n"),
    dropins=of({"name": ["a.conf", "b.conf"]}, contents=st.sampled_from(["[Unit]\n", "[Service]\n"])),
)
user = of(
    {"name": ["core", "other"]},
    passwordHash=WORDS,
    sshAuthorizedKeys=st.lists(WORDS, unique=True),
    groups=st.lists(WORDS, unique=True),
)
head = some(
    proxy=some(httpProxy=st.sampled_from(["http://a", "http://b"]), noProxy=st.lists(WORDS, unique=True)),
    timeouts=some(httpTotal=st.integers(1, 9)),
)
configs = st.builds(
    lambda version, head, **parts: {"ignition": {"version": version, **head}, **parts},
    st.sampled_from(["3.1.0", "3.2.0"]),
    head,
    storage=storages(),
    systemd=some(units=unit),
    passwd=some(users=user),
)


@needs_ignition
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(below=configs, above=configs)
def test_two_configs_become_what_ignition_makes_of_them(below, above):
    ours = json.loads(json.dumps(merged(below, above)))
    del ours["ignition"]["version"]
    with tempfile.TemporaryDirectory() as folder:
        assert told(ours) == merged_by_ignition(below, above, Path(folder))
