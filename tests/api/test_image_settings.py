"""What the operator of a service sets about its discovery images, as its users and machines notice it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from calling import Caller
from making import an_infra_env
from refusing import is_refused

from parts.ignition import files_of, units_of
from parts.service import RunningService

PEM = "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n"
REGISTRIES = '[[registry]]\nlocation = "quay.io"\n[[registry.mirror]]\nlocation = "mirror.lab:5000"\n'


def kept(folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text)
    return str(folder / name)


@pytest.fixture(scope="module")
def otherwise(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Caller]:
    """A connection to a service that is set up in another way than usual."""
    folder = tmp_path_factory.mktemp("otherwise")
    environment = {
        "ENABLE_IMAGE_SERVICE": "false",
        "ISO_IMAGE_TYPE": "minimal-iso",
        "SERVICE_BASE_URL": "https://here.lab",
        "IMAGE_SERVICE_BASE_URL": "https://images.lab",
        "HTTP_LISTEN_PORT": "8080",
        "SERVICE_CA_CERT_PATH": kept(folder, "service.pem", PEM),
        "MUSTER_MIRROR_REGISTRIES": kept(folder, "mirrors.conf", REGISTRIES),
        "MUSTER_IPXE_CONSOLES": "ttyS0",
        "AGENT_TIMEOUT_START": "3m",
    }
    running = RunningService(folder, environment)
    running.start()
    caller = Caller(running.url)
    yield caller
    caller.close()
    running.stop()


@pytest.fixture
def image(otherwise: Caller) -> str:
    """The path of a discovery image."""
    return f"/infra-envs/{an_infra_env(otherwise)}"


def test_where_no_images_are_made_there_are_no_links_to_them(otherwise, image):
    assert "download_url" not in otherwise.v2(f"GET {image}").json
    assert is_refused(otherwise.v2(f"GET {image}/downloads/image-url"), "ENABLE_IMAGE_SERVICE")


def test_the_kind_of_image_is_the_usual_one(otherwise, image):
    assert otherwise.v2(f"GET {image}").json["type"] == "minimal-iso"


def test_machines_get_what_the_operator_wants_them_to_have(otherwise, image):
    content = otherwise.v2(f"GET {image}/downloads/files?file_name=discovery.ign").body
    assert files_of(content)["/etc/containers/registries.conf"] == REGISTRIES
    assert files_of(content)["/etc/assisted-service/service-ca-cert.crt"] == PEM
    agent = units_of(content)["agent.service"]
    assert "--cacert /etc/assisted-service/service-ca-cert.crt\n" in agent
    assert "TimeoutStartSec=180\n" in agent


def test_firmware_is_led_to_where_it_needs_no_tls(otherwise, image):
    script = otherwise.v2(f"GET {image}/downloads/files?file_name=ipxe-script").body.decode()
    assert script.count("http://images.lab/") == 3
    assert "https:" not in script
    assert ' console=ttyS0 coreos.inst.persistent-kargs="console=ttyS0"' in script
    chained = otherwise.v2(f"GET {image}/downloads/files?file_name=ipxe-script&ipxe_script_type=boot-order-control")
    assert b"chain http://here.lab/" in chained.body
    for name, scheme in (("ipxe-script", "http"), ("discovery.ign", "https")):
        link = otherwise.v2(f"GET {image}/downloads/files-presigned?file_name={name}").json["url"]
        assert link.startswith(f"{scheme}://here.lab/")
