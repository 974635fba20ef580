"""What would follow if something were changed, asked over HTTP."""

import json

from making import a_host, a_ready_single_node, an_infra_env


def asked(api, path, **supposed):
    return api.ours(f"POST {path}/what-if", supposed)


def test_what_would_follow_is_told_and_nothing_is_changed(api):
    it = a_ready_single_node(api)
    before = api.v2(f"GET {it.cluster}").json
    reply = asked(api, it.cluster, cluster={"base_dns_domain": ""})
    assert reply.status == 200, reply.body
    told = reply.json
    assert told["installable"] is False
    assert (told["cluster"]["before"], told["cluster"]["after"]) == ("ready", "pending-for-input")
    (turn,) = [each for each in told["cluster"]["verdicts"] if each["id"] == "dns-domain-defined"]
    assert (turn["before"]["status"], turn["after"]["status"]) == ("success", "failure")
    assert turn["evidence"]["fix"] == "Set base_dns_domain."
    assert api.v2(f"GET {it.cluster}").json == before


def test_nothing_asked_is_answered_with_no_difference(api):
    it = a_ready_single_node(api)
    told = asked(api, it.cluster).json
    assert told["installable"] is True
    assert told["hosts"] == []
    assert (told["cluster"]["verdicts"], told["cluster"]["facts"]) == ([], {})


def test_hosts_are_changed_by_their_id(api):
    it = a_ready_single_node(api)
    told = asked(api, it.cluster, hosts={it.host_id: {"host_name": "other"}}).json
    (host,) = told["hosts"]
    assert host["facts"] == {"requested_hostname": "other"}


def test_a_host_that_were_removed_has_no_state(api):
    it = a_ready_single_node(api)
    (host,) = asked(api, it.cluster, remove=[it.host_id]).json["hosts"]
    assert (host["before"], host["after"]) == ("known", None)


def test_a_host_of_the_pool_may_be_supposed_to_join(api):
    it = a_ready_single_node(api)
    pool = an_infra_env(api)
    host_id = a_host(api, pool)
    told = asked(api, it.cluster, add=[f"{pool}/{host_id}"]).json
    joined = next(each for each in told["hosts"] if each["id"] == host_id)
    assert (joined["before"], joined["after"]) == (None, "discovering")


def test_what_cannot_be_supposed_is_refused_by_name(api):
    it = a_ready_single_node(api)
    nowhere = asked(api, it.cluster, add=["nobody"])
    assert nowhere.status == 404
    assert "add[0]" in json.loads(nowhere.body)["reason"]
    wrong = asked(api, it.cluster, cluster={"name": "No Name"})
    assert wrong.status == 400
    assert "name" in json.loads(wrong.body)["reason"]
    unknown = asked(api, it.cluster, nonsense=1)
    assert unknown.status == 400
