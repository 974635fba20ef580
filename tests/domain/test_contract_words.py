"""Our words are those of the contract: every state, stage, role and kind that clients know."""

from pathlib import Path

import pytest
import yaml

from muster.domain.clusters import ClusterKind, ClusterState
from muster.domain.hosts import HostKind, HostState
from muster.domain.monitored import OperatorStatus
from muster.domain.progress import FinalizingStage, Stage
from muster.domain.roles import Role
from muster.domain.states.clusters import ClusterState as States

SWAGGER = Path(__file__).parents[3] / "shared" / "reference" / "swagger.yaml"


@pytest.fixture(scope="module")
def swagger():
    if not SWAGGER.exists():
        pytest.skip("the reference swagger is not at hand")
    return yaml.load(SWAGGER.read_text(), Loader=yaml.CSafeLoader)["definitions"]


@pytest.mark.parametrize(
    ("ours", "path"),
    [
        (HostState, ("host", "properties", "status")),
        (States, ("cluster", "properties", "status")),
        (Stage, ("host-stage",)),
        (FinalizingStage, ("finalizing-stage",)),
        (Role, ("host-role",)),
        (OperatorStatus, ("operator-status",)),
        (HostKind, ("host", "properties", "kind")),
        (ClusterKind, ("cluster", "properties", "kind")),
    ],
)
def test_our_words_are_those_of_the_contract(swagger, ours, path):
    theirs = swagger
    for name in path:
        theirs = theirs[name]
    assert set(ours) == set(theirs["enum"])


@pytest.mark.parametrize("state", [*HostState, *ClusterState], ids=str)
def test_every_state_has_a_meaning(state):
    assert state.meaning.endswith(".")
    assert state.meaning[0].isupper()
