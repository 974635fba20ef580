"""How the service logs: for programs or for people, from a level on."""

import json
import logging
from typing import get_args

import pytest
import structlog

from muster.cli.serve import LEVELS, configure_logs
from muster.runtime.settings.table import LogLevel


@pytest.fixture
def told(capsys):
    """What is logged in a form from a level on, the words of one line each."""

    def tell(level: str, form: str) -> list[str]:
        configure_logs(level, form)
        log = structlog.get_logger().bind()
        log.debug("small", at=1)
        log.error("large", at=2)
        return capsys.readouterr().err.splitlines()

    yield tell
    configure_logs("error")


def test_programs_read_lines_of_json(told):
    (line,) = map(json.loads, told("info", "json"))
    assert {key: line[key] for key in ("event", "level", "at")} == {"event": "large", "level": "error", "at": 2}


def test_people_read_words(told):
    small, large = told("debug", "text")
    assert "small" in small
    assert "at=2" in large
    assert not large.startswith("{")


def test_every_level_that_can_be_set_is_one():
    assert set(get_args(LogLevel)) == set(LEVELS)
    assert LEVELS["warn"] == LEVELS["warning"] == logging.WARNING
