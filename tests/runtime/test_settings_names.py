"""Every setting of the original is one here or has a reason why not, and every setting says what it means."""

import re
from pathlib import Path

import pytest

from muster.domain.setting import rows_of
from muster.runtime.settings import FAMILIES, IGNORED, LATER, Settings, doubts, members, read_settings

RECORDINGS = Path(__file__).parents[1] / "recordings"
SERVICE = (RECORDINGS / "settings.txt").read_text().split()
"""What the original can be told by its environment."""
IMAGES = (RECORDINGS / "image-settings.txt").read_text().split()
"""What the part of it can be told that makes images."""
NAMES = list(dict.fromkeys(SERVICE + IMAGES))

REFERENCE = Path(__file__).parents[3] / "shared" / "reference"

ROWS = {row.setting.name: row for row in rows_of(Settings)}
WITHOUT = [name for table in (IGNORED, LATER) for names in table.values() for name in names]


def named_in(reference: str) -> list[str]:
    """The names in the tables of the chapter on configuration."""
    chapter = reference.partition("## 9. Configuration")[2].partition("\n## ")[0]
    rows = [line.split("|")[1] for line in chapter.splitlines() if line.startswith("| ") and "Variable" not in line]
    cells = [re.sub(r"\(.*?\)", "", row).replace("`", "") for row in rows]
    return [name.strip() for cell in cells for name in re.split("[,/]", cell)]


@pytest.mark.skipif(not REFERENCE.exists(), reason="the reference is not here")
def test_the_list_of_names_is_that_of_the_reference():
    assert named_in((REFERENCE / "rest-api.md").read_text()) == SERVICE
    chapter = (REFERENCE / "images.md").read_text().partition("### 4.1 Environment")[2].partition("\n### ")[0]
    rows = [line.split("|")[1] for line in chapter.splitlines() if line.startswith("| `")]
    assert [name for row in rows for name in re.findall("`(\\w+)`", row)] == IMAGES


@pytest.mark.parametrize("name", NAMES)
def test_a_setting_of_the_original_is_one_here_or_has_its_reason(name):
    assert (name in ROWS) + (WITHOUT.count(name)) == 1


def test_nothing_is_said_to_be_without_effect_that_nobody_has_heard_of():
    assert set(WITHOUT) <= set(NAMES)


AMAZONS = {"AWS_SHARED_CREDENTIALS_FILE", "AWS_PROFILE", "AWS_ENDPOINT_URL_ROUTE_53"}
"""Names that all programs share which call Amazon's services; the original names them in passing."""


def test_settings_of_our_own_have_our_name():
    assert all(name.startswith("MUSTER_") for name in ROWS.keys() - set(NAMES) - AMAZONS)


@pytest.mark.parametrize("row", ROWS.values(), ids=lambda row: row.setting.name)
def test_every_setting_says_in_one_sentence_what_it_means(row):
    meaning = row.setting.meaning
    assert meaning.endswith(".")
    assert ". " not in meaning
    assert meaning[0].isupper() or meaning.startswith("sqlite")
    assert len(meaning) < 120


def test_whoever_sets_something_that_has_no_effect_is_told_why():
    environment = dict.fromkeys(WITHOUT, "1")
    told = list(doubts(read_settings(environment), environment))
    assert [each.partition(" is ignored: ")[0] for each in told] == sorted(WITHOUT)
    assert all(len(each.partition(": ")[2]) > 10 for each in told)
    assert not list(doubts(read_settings({}), {}))


def test_families_stand_for_settings_of_which_there_is_one_for_each_stage():
    assert ROWS.keys() >= FAMILIES.keys()
    assert all(members(family) for family in FAMILIES)


def test_secrets_are_those_whose_name_says_so():
    secret = {name for name, row in ROWS.items() if row.setting.secret}
    assert secret == {
        "DB_PASS",
        "AWS_SECRET_ACCESS_KEY",
        "EC_PRIVATE_KEY_PEM",
        "OS_IMAGES_REQUEST_HEADERS",
        "OS_IMAGES_REQUEST_QUERY_PARAMS",
    }
    assert "hush" not in repr(read_settings({"EC_PRIVATE_KEY_PEM": "hush", "DB_PASS": ""}))
