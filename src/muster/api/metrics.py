"""What is counted about calls."""

from functools import lru_cache

from prometheus_client import Histogram

CALLS = Histogram(
    "muster_http_request_seconds",
    "How long calls take to answer, by operation and status",
    ("operation", "status"),
    buckets=(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0),
)


@lru_cache(maxsize=2048)
def _child(operation: str, status: int) -> Histogram:
    return CALLS.labels(operation, str(status))


def observe(operation: str, status: int, seconds: float) -> None:
    """Count a call."""
    _child(operation, status).observe(seconds)
