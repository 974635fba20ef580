"""What users want the kernel to be told, and whether an image has room for it."""

import json

import pytest

from builders import a_policy, an_infra_env
from muster.domain.artifacts.discovery_ignition import room_problems
from muster.domain.artifacts.kernel_arguments import kernel_arguments, kernel_room_problems
from muster.domain.infra_envs import ImageType

POLICY = a_policy()


def told(*values, **changes):
    text = json.dumps([{"operation": "append", "value": each} for each in values])
    return an_infra_env(kernel_arguments=text, openshift_version="4.20", **changes)


def problems(infra_env, policy=POLICY):
    return list(kernel_room_problems(infra_env, policy))


def test_the_words_are_told_in_their_order():
    assert kernel_arguments(told("b", "a=1")) == ("b", "a=1")
    assert kernel_arguments(an_infra_env()) == ()


@pytest.mark.parametrize(
    ("changes", "longest"),
    [({}, 1022), ({"type": ImageType.DISCONNECTED}, 1022), ({"cpu_architecture": "s390x"}, 894)],
)
def test_there_is_room_for_so_much_and_no_more(changes, longest):
    assert problems(told("a" * (longest - 2), "b", **changes)) == []
    (problem,) = problems(told("a" * (longest - 1), "b", **changes))
    assert problem.startswith(
        f"kernel_arguments: take {longest + 1} bytes together, and the image has room for {longest}"
    )


def test_a_minimal_image_needs_some_of_it_to_say_where_its_system_is():
    minimal = {"type": ImageType.MINIMAL}
    assert problems(told("a" * 900, **minimal)) == []
    assert problems(told("a" * 1000, **minimal)) != []
    far = POLICY.but(image_service_url=f"https://{'x' * 1100}.example.com")
    (problem,) = problems(told("a", **minimal), far)
    assert "room for 0" in problem
    assert problems(an_infra_env(**minimal), far) == []


def test_letters_count_as_the_bytes_they_take():
    assert problems(told("é" * 511)) == []
    assert problems(told("é" * 512)) != []


def test_it_is_told_when_the_image_is_described():
    (problem,) = room_problems(told("a" * 2000, pull_secret="{}"), POLICY)
    assert problem.startswith("kernel_arguments: ")
