"""The connections of one process to PostgreSQL: never more than it was allowed, and always enough to go on."""

import pytest

from muster.adapters.sql.postgres import Pool


@pytest.mark.parametrize(("connections", "commits", "questions"), [(20, 5, 15), (4, 1, 3), (2, 1, 1), (1, 1, 1)])
def test_connections_are_shared_out(connections, commits, questions):
    pool = Pool(connections=connections)
    assert (pool.for_commits, pool.for_questions) == (commits, questions)
