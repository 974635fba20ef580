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


ODD = """
[[registry]]
prefix = "quay.io/ours"
location = "elsewhere.io"
mirror = [{location = "a.local/ours"}, {location = 5}, {insecure = true}, 5]

[[registry]]
location = "docker.io"
mirror = "b.local"

[[registry]]
mirror = [{location = "c.local"}]

[[registry]]
prefix = "*.example.org"
mirror = [{location = "d.local"}]
"""


@pytest.mark.parametrize(
    ("text", "mirrors"),
    [
        (TWO, {"quay.io/openshift-release-dev/ocp-release": ("mirror.local:5000/ocp",)}),
        (ODD, {"quay.io/ours": ("a.local/ours",)}),
        ("", {}),
    ],
)
def test_mirrors_are_known_by_the_names_of_what_they_stand_in_for(text, mirrors):
    assert Mirrors(registries=text).by_source == mirrors


@pytest.mark.parametrize(("text", "named"), [(TWO, True), ("", False), ('short-name-mode = "enforcing"', False)])
def test_a_file_may_name_no_mirrors(text, named):
    assert has_mirrors(text) is named


@pytest.mark.parametrize("text", ["[[registry]", "registry = 5", "registry = [5]"])
def test_a_file_that_cannot_be_read_is_told(text):
    with pytest.raises(ValueError, match=r"\w"):
        has_mirrors(text)
