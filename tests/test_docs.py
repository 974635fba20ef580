"""The pages in docs that follow from the code are what the code says."""

import re
from pathlib import Path

import pytest
from generate import PAGES

DOCS = Path(__file__).parent.parent / "docs"


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_what_the_code_says(name):
    stale = f"docs/{name} is stale: run `python docs/generate.py`"
    assert (DOCS / name).read_text(encoding="utf-8") == PAGES[name](), stale


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_the_same_whenever_it_is_written(name):
    assert PAGES[name]() == PAGES[name]()


@pytest.mark.parametrize("name", PAGES)
def test_every_row_of_a_page_has_all_its_cells(name):
    width = 0
    for line in PAGES[name]().splitlines():
        cells = len(re.findall(r"(?<!\\)\|", line)) if line.startswith("|") else 0
        assert cells in {0, width} or width == 0, line
        width = cells
