"""What cannot be had together is refused over the API, whichever side it is asked from."""

from making import CLUSTER, INFRA_ENV, a_cluster, an_infra_env

OCI = {"type": "external", "external": {"platform_name": "oci", "cloud_controller_manager": "External"}}


def test_a_cluster_is_refused_what_its_version_does_not_have(api):
    reply = api.v2("POST /clusters", CLUSTER | {"vip_dhcp_allocation": True})
    assert (reply.status, reply.json["kind"]) == (400, "Error")
    assert reply.json["reason"].startswith("vip_dhcp_allocation: ")


def test_an_image_is_refused_what_its_cluster_does_not_have(api):
    cluster_id = a_cluster(api, platform=OCI)
    refused = api.v2("POST /infra-envs", INFRA_ENV | {"cluster_id": cluster_id, "image_type": "full-iso"})
    assert (refused.status, refused.json["reason"].partition(":")[0]) == (400, "image_type")
    infra_env_id = an_infra_env(api, cluster_id, image_type="minimal-iso")
    refused = api.v2(f"PATCH /infra-envs/{infra_env_id}", {"image_type": "full-iso"})
    assert (refused.status, refused.json["reason"].partition(":")[0]) == (400, "image_type")
    assert api.v2(f"PATCH /infra-envs/{infra_env_id}", {"ntp_sources": "10.0.0.1"}).status == 201


def test_a_cluster_is_refused_what_its_images_do_not_have(api):
    cluster_id = a_cluster(api)
    an_infra_env(api, cluster_id)
    refused = api.v2(f"PATCH /clusters/{cluster_id}", {"platform": OCI, "user_managed_networking": True})
    assert refused.status == 400
    assert "image_type: a full-iso is not possible on platform oci (infra-env lab-env)" in refused.json["reason"]


def test_an_image_outlives_its_cluster(api):
    cluster_id = a_cluster(api, platform=OCI)
    infra_env_id = an_infra_env(api, cluster_id, image_type="minimal-iso")
    assert api.v2(f"DELETE /clusters/{cluster_id}").status == 204
    assert api.v2(f"PATCH /infra-envs/{infra_env_id}", {"image_type": "full-iso"}).status == 201
