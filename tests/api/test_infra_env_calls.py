"""Discovery images over the API: what they are made from, links to it, and how machines start from them."""

import gzip
import io
import json
import tarfile
import uuid
from email.utils import parsedate_to_datetime

import pytest
from adding import added_later, in_a_pool
from making import SECRET, a_cluster, a_ready_single_node, an_infra_env, finalizing, installing
from refusing import is_malformed, is_refused

from parts.ignition import complaints, files_of, needs_ignition, units_of

NETWORK = [
    {
        "network_yaml": "interfaces:\n- name: eth0\n  type: ethernet\n",
        "mac_interface_map": [{"mac_address": "52:54:00:aa:00:01", "logical_nic_name": "eth0"}],
    }
]
SSH_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f me"
PROXY = {"http_proxy": "http://proxy:3128"}
MAC = "52:54:00:00:02:00"
"""The address of the recorded host."""


def files(infra_env_id, name, **query):
    asked = "".join(f"&{key}={value}" for key, value in query.items())
    return f"GET /infra-envs/{infra_env_id}/downloads/files?file_name={name}{asked}"


def path(infra_env_id):
    return f"/infra-envs/{infra_env_id}"


@pytest.fixture
def image(api):
    """The id of a discovery image."""
    return an_infra_env(api)


# An image that is not there


@pytest.mark.parametrize(
    "call",
    [
        "GET {}",
        "PATCH {}",
        "DELETE {}",
        "GET {}/hosts",
        "GET {}/downloads/image-url",
        "GET {}/downloads/files?file_name=discovery.ign",
        "GET {}/downloads/files-presigned?file_name=discovery.ign",
        "GET {}/downloads/minimal-initrd",
        "POST {}/regenerate-signing-key",
    ],
)
def test_an_image_that_is_not_there_is_not_found(api, call):
    body = {} if call.startswith("PATCH") else None
    assert is_refused(api.v2(call.format(path(uuid.uuid4())), body), "There is no infra-env", status=404)


# The configuration


def test_the_configuration_of_an_image_is_sent_as_a_file(api):
    infra_env_id = an_infra_env(api, ssh_authorized_key=SSH_KEY)
    reply = api.v2(files(infra_env_id, "discovery.ign"))
    assert (reply.status, reply.headers["Content-Type"]) == (200, "application/octet-stream")
    assert reply.headers["Content-Disposition"] == 'attachment; filename="discovery.ign"'
    assert files_of(reply.body)["/root/.docker/config.json"] == SECRET
    assert f"--infra-env-id {infra_env_id} " in units_of(reply.body)["agent.service"]


@needs_ignition
def test_ignition_accepts_the_configuration_of_an_image(api):
    infra_env_id = an_infra_env(api, static_network_config=NETWORK, proxy=PROXY, additional_ntp_sources="ntp1,ntp2")
    assert complaints(api.v2(files(infra_env_id, "discovery.ign")).body) == ""


def test_a_file_says_when_the_image_was_last_changed(api, image):
    api.v2(f"PATCH {path(image)}", {"additional_ntp_sources": "ntp1"})
    changed = api.v2(f"GET {path(image)}").json["updated_at"]
    sent = parsedate_to_datetime(api.v2(files(image, "discovery.ign")).headers["Last-Modified"])
    assert sent.strftime("%Y-%m-%dT%H:%M:%S") == changed[:19]


@pytest.mark.parametrize(("kind", "applied"), [("full-iso", True), ("minimal-iso", False)])
def test_network_settings_are_in_the_configuration_of_full_images(api, kind, applied):
    infra_env_id = an_infra_env(api, static_network_config=NETWORK, image_type="minimal-iso")
    reply = api.v2(files(infra_env_id, "discovery.ign", discovery_iso_type=kind))
    assert ("/etc/assisted/network/host0/ymlFile0.yml" in files_of(reply.body)) is applied


def test_what_a_user_lays_over_the_configuration_is_in_it(api):
    wish = {
        "ignition": {"version": "3.1.0"},
        "storage": {"files": [{"path": "/etc/motd", "contents": {"source": "data:;base64,aGVsbG8="}}]},
    }
    infra_env_id = an_infra_env(api, ignition_config_override=json.dumps(wish))
    assert files_of(api.v2(files(infra_env_id, "discovery.ign")).body)["/etc/motd"] == "hello"


def test_an_image_for_an_installation_elsewhere_is_not_configured_here(api):
    infra_env_id = an_infra_env(api, a_cluster(api), image_type="disconnected-iso")
    reply = api.v2(files(infra_env_id, "discovery.ign"))
    assert reply.status == 409
    assert reply.headers["Content-Type"] == "application/octet-stream"
    assert "without this service" in reply.said


@pytest.mark.parametrize(
    "query",
    [
        "",
        "?file_name=master.ign",
        "?file_name=ipxe-script&mac=52:54",
        "?file_name=ipxe-script&ipxe_script_type=never",
        "?file_name=discovery.ign&discovery_iso_type=pxe",
    ],
)
def test_a_file_that_nobody_knows_is_not_looked_for(api, image, query):
    assert is_malformed(api.v2(f"GET {path(image)}/downloads/files{query}"), "query.")


@pytest.mark.parametrize("name", ["discovery.ign", "static-network-config"])
def test_only_scripts_have_a_kind_of_script(api, image, name):
    reply = api.v2(files(image, name, ipxe_script_type="boot-order-control"))
    assert (reply.status, reply.json["code"]) == (400, "400")
    assert "is for ipxe-script only" in reply.said


# Network settings


def test_network_settings_can_be_looked_at(api):
    infra_env_id = an_infra_env(api, static_network_config=NETWORK)
    reply = api.v2(files(infra_env_id, "static-network-config"))
    name = f"{infra_env_id}-static-network-config.tar"
    assert reply.headers["Content-Disposition"] == f'attachment; filename="{name}"'
    with tarfile.open(fileobj=io.BytesIO(reply.body)) as packed:
        assert packed.getnames() == [
            "/etc/assisted/network/host0/mac_interface.ini",
            "/etc/assisted/network/host0/ymlFile0.yml",
        ]


def test_without_network_settings_there_is_nothing_to_look_at(api, image):
    reply = api.v2(files(image, "static-network-config"))
    assert (reply.status, reply.body) == (200, b"")
    assert reply.headers["Content-Disposition"] == 'attachment; filename=""'
    assert reply.headers["Last-Modified"]


@pytest.mark.parametrize("written", [{"static_network_config": NETWORK}, {"proxy": PROXY}])
def test_a_minimal_image_gets_what_it_needs_to_fetch_its_system(api, written):
    reply = api.v2(f"GET {path(an_infra_env(api, **written))}/downloads/minimal-initrd")
    assert reply.status == 200
    assert gzip.decompress(reply.body).startswith(b"070701")


def test_a_minimal_image_that_needs_nothing_gets_nothing(api, image):
    reply = api.v2(f"GET {path(image)}/downloads/minimal-initrd")
    assert (reply.status, reply.body) == (204, b"")


# Starting over the network


def test_machines_start_over_the_network(api):
    infra_env_id = an_infra_env(api, kernel_arguments=[{"operation": "append", "value": "console=ttyS0"}])
    reply = api.v2(files(infra_env_id, "ipxe-script"))
    assert reply.headers["Content-Disposition"] == f'attachment; filename="{infra_env_id}-ipxe-script"'
    marker, initrd, kernel, boot = reply.body.decode().splitlines()
    assert (marker, boot) == ("#!ipxe", "boot")
    assert f"/images/{infra_env_id}/pxe-initrd?" in initrd
    assert kernel.endswith(" console=ttyS0")


def test_a_machine_whose_place_in_the_boot_order_is_left_to_us_is_asked_who_it_is(api, service, image):
    reply = api.v2(files(image, "ipxe-script", ipxe_script_type="boot-order-control"))
    marker, chain = reply.body.decode().splitlines()
    assert marker == "#!ipxe"
    link = chain.removeprefix("chain ").removesuffix("&mac=${net0/mac}")
    assert link.startswith(service.url)
    assert "kernel" in api.call("GET", f"{link.removeprefix(service.url)}&mac={MAC}").body.decode()


def test_a_machine_that_runs_its_own_system_goes_on_to_its_disk(api):
    it = installing(api, a_ready_single_node(api))
    asked = {"ipxe_script_type": "boot-order-control", "mac": MAC.upper()}
    assert "kernel" in api.v2(files(it.infra_env_id, "ipxe-script", **asked)).body.decode()
    finalizing(api, it)
    for query in (asked, {"mac": MAC}):
        reply = api.v2(files(it.infra_env_id, "ipxe-script", **query))
        assert (reply.status, "starts from its disk" in reply.said) == (404, True)
    always = {**asked, "ipxe_script_type": "discovery-image-always"}
    assert "kernel" in api.v2(files(it.infra_env_id, "ipxe-script", **always)).body.decode()


def test_an_address_that_two_hosts_have_is_told_with_their_names(api):
    first = in_a_pool(api)
    second = api.v2(f"POST {path(first.infra_env_id)}/hosts", {"host_id": str(uuid.uuid4())}).json["id"]
    inventory = api.v2(f"GET {first.host}").json["inventory"]
    said = {"step_type": "inventory", "step_id": "inventory-1", "exit_code": 0, "output": inventory}
    assert api.v2(f"POST {path(first.infra_env_id)}/hosts/{second}/instructions", said).status == 204
    reply = api.v2(files(first.infra_env_id, "ipxe-script", mac=MAC))
    assert (reply.status, "several hosts" in reply.said) == (409, True)


def test_a_host_that_was_given_up_is_not_looked_at(api):
    it = in_a_pool(api)
    assert api.v2(f"DELETE {it.host}").status == 204
    assert api.v2(files(it.infra_env_id, "ipxe-script", mac=MAC)).status == 200


# Links


def test_a_link_to_the_image_is_handed_out(api, image):
    reply = api.v2(f"GET {path(image)}/downloads/image-url").json
    assert reply["url"] == api.v2(f"GET {path(image)}").json["download_url"]
    assert reply["expires_at"] == "0001-01-01T00:00:00.000Z"


@pytest.mark.parametrize(
    "query", ["file_name=discovery.ign", "file_name=ipxe-script&ipxe_script_type=boot-order-control"]
)
def test_a_link_to_a_file_leads_to_it(api, service, image, query):
    reply = api.v2(f"GET {path(image)}/downloads/files-presigned?{query}").json
    assert reply["expires_at"] == "0001-01-01T00:00:00.000Z"
    assert reply["url"] == f"{service.url}/api/assisted-install/v2{path(image)}/downloads/files?{query}"
    assert api.call("GET", reply["url"].removeprefix(service.url)).status == 200


def test_links_lead_to_scripts_of_a_kind_and_to_no_other_file(api, image):
    base = f"GET {path(image)}/downloads/files-presigned"
    wrong = f"{base}?file_name=discovery.ign&ipxe_script_type=boot-order-control"
    assert is_refused(api.v2(wrong), "is for ipxe-script only")
    assert is_malformed(api.v2(f"{base}?file_name=static-network-config"), "query.file_name")


def test_the_key_of_links_is_made_anew_and_never_shown(api, service, image):
    def key():
        return service.within(service.service.store.load(f"infra-env:{image}")).infra_envs[image].image_token_key

    before = key()
    reply = api.v2(f"POST {path(image)}/regenerate-signing-key")
    assert (reply.status, reply.body) == (204, b"")
    assert len({before, key()}) == 2
    assert len(key()) == 64
    assert key() not in api.v2(f"GET {path(image)}").body.decode()


# Lists and changes


def test_images_are_listed_by_their_cluster(api):
    cluster_id = a_cluster(api)
    infra_env_id = an_infra_env(api, cluster_id)
    an_infra_env(api)
    listed = api.v2(f"GET /infra-envs?cluster_id={cluster_id}&owner=nobody").json
    assert [each["id"] for each in listed] == [infra_env_id]
    assert api.v2(f"GET /infra-envs?cluster_id={uuid.uuid4()}").json == []
    assert is_malformed(api.v2("GET /infra-envs?cluster_id=x"), "query.cluster_id")


FULL = {
    "ssh_authorized_key": SSH_KEY,
    "ignition_config_override": '{"ignition": {"version": "3.1.0"}}',
    "additional_ntp_sources": "ntp1",
    "static_network_config": NETWORK,
    "kernel_arguments": [{"operation": "append", "value": "a=b"}],
    "proxy": {"http_proxy": "http://a:1", "no_proxy": "x.com"},
    "network_discovery_delay_seconds": 5,
}
"""What can be written about an image and changed afterwards."""


@pytest.mark.parametrize("field", ["pull_secret", "openshift_version", "image_type"])
def test_what_no_image_can_be_without_is_left_alone(api, field):
    infra_env_id = an_infra_env(api, **FULL)
    before = api.v2(f"GET {path(infra_env_id)}").json
    reply = api.v2(f"PATCH {path(infra_env_id)}", {field: ""})
    assert (reply.status, reply.json) == (201, before)


@pytest.mark.parametrize(
    ("field", "nothing"),
    [
        ("additional_ntp_sources", ""),
        ("static_network_config", []),
        ("kernel_arguments", []),
        ("ssh_authorized_key", ""),
        ("ignition_config_override", ""),
    ],
)
def test_what_can_be_taken_back_is_gone(api, field, nothing):
    infra_env_id = an_infra_env(api, **FULL)
    assert field in api.v2(f"GET {path(infra_env_id)}").json
    assert field not in api.v2(f"PATCH {path(infra_env_id)}", {field: nothing}).json
    assert field not in api.v2(f"GET {path(infra_env_id)}").json


def test_a_part_of_a_proxy_is_changed_by_itself(api):
    infra_env_id = an_infra_env(api, **FULL)
    reply = api.v2(f"PATCH {path(infra_env_id)}", {"proxy": {"https_proxy": "http://b:2"}})
    assert reply.json["proxy"] == {"http_proxy": "http://a:1", "https_proxy": "http://b:2", "no_proxy": "x.com"}


def test_what_is_not_written_stays(api):
    infra_env_id = an_infra_env(api, **FULL)
    before = api.v2(f"GET {path(infra_env_id)}").json
    reply = api.v2(f"PATCH {path(infra_env_id)}", dict.fromkeys(FULL))
    assert (reply.status, reply.json) == (201, before)


def test_a_change_makes_files_newer_and_no_change_does_not(api):
    infra_env_id = an_infra_env(api)
    before = api.v2(f"GET {path(infra_env_id)}").json["updated_at"]
    assert api.v2(f"PATCH {path(infra_env_id)}", {}).json["updated_at"] == before
    assert api.v2(f"PATCH {path(infra_env_id)}", {"additional_ntp_sources": "ntp9"}).json["updated_at"] > before


def test_the_link_to_an_image_is_another_only_when_it_leads_to_another_image(api):
    infra_env_id = an_infra_env(api, openshift_version="4.20")
    before = api.v2(f"GET {path(infra_env_id)}").json["download_url"]
    assert api.v2(f"PATCH {path(infra_env_id)}", {"additional_ntp_sources": "ntp9"}).json["download_url"] == before
    newer = api.v2(f"PATCH {path(infra_env_id)}", {"image_type": "minimal-iso"}).json["download_url"]
    assert newer == before.replace("/full.iso", "/minimal.iso")
    other = api.v2(f"PATCH {path(infra_env_id)}", {"openshift_version": "4.19"}).json["download_url"]
    assert other == newer.replace("/4.20/", "/4.19/")


def told_of(api, infra_env_id):
    events = api.v2(f"GET /events?infra_env_id={infra_env_id}").json
    return [each["message"] for each in events if each["name"] == "image_info_updated"]


def test_what_has_become_of_an_image_is_told_once_for_each_change(api):
    infra_env_id = an_infra_env(api, name="rack", openshift_version="4.20", ssh_authorized_key=SSH_KEY)
    api.v2(f"PATCH {path(infra_env_id)}", {"image_type": "full-iso"})
    api.v2(f"PATCH {path(infra_env_id)}", {"proxy": PROXY, "ssh_authorized_key": ""})
    said = "The discovery image of rack has changed: it is a full-iso of OpenShift 4.20 for x86_64"
    assert told_of(api, infra_env_id) == [f"{said}, with an SSH key", f"{said}, without an SSH key, behind a proxy"]


def test_a_configuration_that_no_machine_would_start_with_is_refused_with_all_that_is_wrong(api, image):
    wish = {"ignition": {"version": "3.1.0"}, "storage": {"files": [{"path": "etc/motd", "mode": 99999}]}}
    reply = api.v2(f"PATCH {path(image)}", {"ignition_config_override": json.dumps(wish)})
    assert is_refused(reply, "ignition_config_override: storage.files[0].path: is 'etc/motd'")
    assert "storage.files[0].mode: is 99999" in reply.said


def test_more_for_the_kernel_than_an_image_has_room_for_is_refused(api, image):
    words = [{"operation": "append", "value": "a" * 600}] * 2
    reply = api.v2(f"PATCH {path(image)}", {"kernel_arguments": words})
    assert is_refused(reply, "kernel_arguments: take 1201 bytes together, and the image has room for 1022")


def test_hosts_that_belong_to_no_cluster_yet_find_all_they_need_in_their_image(api, image):
    content = api.v2(files(image, "discovery.ign")).body
    assert f"--infra-env-id {image} " in units_of(content)["agent.service"]
    assert "muster-banner.service" in units_of(content)
    assert "cluster" not in units_of(content)["agent.service"]


def test_an_image_with_a_host_is_not_given_up(api):
    it = in_a_pool(api)
    assert is_refused(api.v2(f"DELETE {path(it.infra_env_id)}"), "still has 1 host")
    assert api.v2(f"DELETE {it.host}").status == 204
    assert api.v2(f"DELETE {path(it.infra_env_id)}").status == 204
    assert is_refused(api.v2(f"GET {path(it.infra_env_id)}"), status=404)


def test_a_machine_that_has_joined_a_running_cluster_goes_on_to_its_disk(api):
    it = added_later(api)
    api.v2(f"POST {it.host}/actions/install")
    for stage in ("Starting installation", "Installing", "Writing image to disk", "Rebooting"):
        assert api.v2(f"PUT {it.host}/progress", {"current_stage": stage}).status == 200
    assert api.v2(files(it.infra_env_id, "ipxe-script", mac="52:54:00:00:02:09")).status == 404
