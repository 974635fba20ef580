"""Mirrors, as podman's `registries.conf` names them."""

import pytest

from muster.domain.trust import Mirrors, has_mirrors

TWO = """
unqualified-search-registries = ["registry.example.com"]

[[registry]]
prefix = ""
location = "quay.io/openshift-release-dev/ocp-release"
[[registry.mirror]]
location = "mirror.local:5000/ocp"

[[registry]]
prefix = "*.example.org"

[[registry]]
location = 5
"""


def test_registries_in_whose_place_others_are_asked_are_known_by_name():
    assert Mirrors(registries=TWO).sources == {"quay.io", "*.example.org"}
    assert Mirrors().sources == frozenset()


@pytest.mark.parametrize(("text", "named"), [(TWO, True), ("", False), ('short-name-mode = "enforcing"', False)])
def test_a_file_may_name_no_mirrors(text, named):
    assert has_mirrors(text) is named


@pytest.mark.parametrize("text", ["[[registry]", "registry = 5", "registry = [5]"])
def test_a_file_that_cannot_be_read_is_told(text):
    with pytest.raises(ValueError, match=r"\w"):
        has_mirrors(text)
