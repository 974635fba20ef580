"""The page of a host, by what its console shows."""

import uuid

from making import AGENT, made

from muster.wire.pages import host_page

BROWSER = {"Accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"}


def test_a_host_has_a_page_under_the_first_characters_of_its_id(api):
    it = made(api)
    page = api.raw("GET", f"/h/{it.host_id[:8].upper()}", headers=BROWSER)
    assert page.status == 200
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    text = page.body.decode()
    assert it.host_id in text
    assert "discovering" in text
    assert "of cluster <b>lab</b>" in text


def test_a_code_that_no_host_has_leads_nowhere(api):
    for code in ("1234", "00000000", "%25%25%25%25%25%25%25%25"):
        reply = api.raw("GET", f"/h/{code}")
        assert reply.status == 404
        assert "its console shows" in reply.body.decode()


def test_a_code_that_several_hosts_have_is_to_be_written_longer(api):
    first = made(api)
    twin = first.host_id[:9] + str(uuid.uuid4())[9:]
    body = {"host_id": twin, "discovery_agent_version": AGENT}
    assert api.v2(f"POST /infra-envs/{first.infra_env_id}/hosts", body).status == 201
    reply = api.raw("GET", f"/h/{first.host_id[:8]}")
    assert reply.status == 409
    assert first.host_id in reply.body.decode()
    assert twin in reply.body.decode()
    assert api.raw("GET", f"/h/{twin}").status == 200


HOST = {
    "id": "h1",
    "name": "<node>",
    "status": "insufficient",
    "because": "Too small",
    "meaning": "It is",
    "verdicts": [],
}


def test_a_page_says_what_is_wrong_and_what_to_do():
    verdict = {"id": "has-min-memory", "status": "failure", "message": "2 GiB < 8 GiB", "evidence": {"fix": "Add more"}}
    page = host_page(HOST | {"verdicts": [verdict]}, "lab & co")
    assert "&lt;node&gt;" in page
    assert "lab &amp; co" in page
    assert '<li class="failure"><b>2 GiB &lt; 8 GiB</b><br>Add more' in page


def test_a_page_of_a_healthy_host_without_a_cluster_says_so():
    page = host_page(HOST, "")
    assert "Nothing is wrong with it" in page
    assert "belongs to no cluster yet" in page
    pending = {"id": "ntp", "status": "pending", "message": "Waiting", "evidence": {}}
    assert "Waiting</b><br><code>ntp" in host_page(HOST | {"verdicts": [pending]}, "")
