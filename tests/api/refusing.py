"""What an answer must be that says no, and where a call goes that is to be refused."""

from calling import Reply
from making import Made


def is_malformed(reply: Reply, *words: str, status: int = 400) -> bool:
    """An error before any operation, with these words in it."""
    assert reply.status == status, reply.body
    assert set(reply.json) == {"code", "message"}
    assert reply.json["code"] == status
    assert not reply.body.endswith(b"\n")
    assert all(word in reply.said for word in words), reply.said
    return True


def is_refused(reply: Reply, *words: str, status: int = 400) -> bool:
    """An error of an operation, with these words in it."""
    assert reply.status == status, reply.body
    assert reply.json | {"reason": ""} == {"code": str(status), "href": "", "id": status, "kind": "Error", "reason": ""}
    assert all(word in reply.said for word in words), reply.said
    return True


def placed(call: str, it: Made) -> str:
    """A call of a table with the paths of what was made filled in."""
    return call.format(cluster=it.cluster, infra_env=f"/infra-envs/{it.infra_env_id}", host=it.host)
