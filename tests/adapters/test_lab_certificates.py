"""The lab's certificates are believed by those who check them, and its kubeconfig can be extended."""

import re
import ssl
from base64 import b64decode

import pytest
import yaml
from cryptography import x509
from cryptography.x509.verification import PolicyBuilder
from cryptography.x509.verification import Store as TrustStore

from adapters.lab_orders import API_VIP, certificates_of, entry, made, on_bootstrap, trusted_by
from muster.adapters.releases.certificates import new_ingress_ca
from muster.adapters.releases.kubeconfig import kubeconfig_with_ingress
from muster.domain.errors import Broken, Invalid


async def test_every_certificate_is_signed_by_the_next_up_to_the_root():
    found = on_bootstrap(await made())
    (root,) = certificates_of(found["/opt/openshift/tls/root-ca.crt"])
    chains = [certificates_of(pem) for path, pem in found.items() if re.fullmatch(r"/opt/openshift/tls/.*\.crt", path)]
    assert len(chains) == 7
    for chain in chains:
        assert chain[-1] == root
        for certificate, issuer in zip(chain, [*chain[1:], root], strict=True):
            certificate.verify_directly_issued_by(issuer)


@pytest.mark.parametrize(
    ("server", "name"),
    [
        ("kube-apiserver", x509.DNSName("api.lab.example.com")),
        ("kube-apiserver", x509.DNSName("api-int.lab.example.com")),
        ("kube-apiserver", x509.IPAddress(API_VIP)),
        ("machine-config-server", x509.DNSName("api-int.lab.example.com")),
        ("machine-config-server", x509.IPAddress(API_VIP)),
    ],
)
async def test_a_server_is_believed_under_each_of_its_names(server, name):
    found = on_bootstrap(await made())
    roots = TrustStore(certificates_of(found["/opt/openshift/tls/root-ca.crt"]))
    leaf, *above = certificates_of(found[f"/opt/openshift/tls/{server}.crt"])
    chain = PolicyBuilder().store(roots).build_server_verifier(name).verify(leaf, above)
    assert len(chain) == 3


async def test_the_kubeconfig_leads_to_the_api_with_a_client_its_authority_signed():
    kubeconfig = (await made()).files["kubeconfig-noingress"]
    config = yaml.safe_load(kubeconfig)
    assert config["current-context"] == config["contexts"][0]["name"] == "admin"
    assert entry(kubeconfig, "cluster")["server"] == "https://api.lab.example.com:6443"
    authority = certificates_of(trusted_by(kubeconfig))[0]
    client = certificates_of(b64decode(entry(kubeconfig, "user")["client-certificate-data"]))[0]
    client.verify_directly_issued_by(authority)
    assert client.subject.rfc4514_string() == "CN=system:admin,O=system:masters"


def handshake(client, server):
    """Let two ends of a TLS connection talk until both are content."""
    pending = [client, server]
    for _ in range(10):
        for end in tuple(pending):
            try:
                end.do_handshake()
                pending.remove(end)
            except ssl.SSLWantReadError:
                pass
        if not pending:
            return
    raise AssertionError("the handshake did not come to an end")


async def test_client_and_api_server_believe_each_other_over_tls(tmp_path):
    files = await made()
    found, kubeconfig = on_bootstrap(files), files.files["kubeconfig-noingress"]
    user = entry(kubeconfig, "user")
    pairs = {
        "client": (b64decode(user["client-certificate-data"]), b64decode(user["client-key-data"])),
        "server": tuple(found[f"/opt/openshift/tls/kube-apiserver.{kind}"] for kind in ("crt", "key")),
    }
    for name, (certificate, key) in pairs.items():
        (tmp_path / name).write_bytes(certificate + key)
    ours = ssl.create_default_context(cadata=trusted_by(kubeconfig).decode())
    ours.load_cert_chain(tmp_path / "client")
    theirs = ssl.create_default_context(
        ssl.Purpose.CLIENT_AUTH, cadata=found["/opt/openshift/tls/kube-apiserver-ca.crt"].decode()
    )
    theirs.verify_mode = ssl.CERT_REQUIRED
    theirs.load_cert_chain(tmp_path / "server")
    there, back = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = ours.wrap_bio(back, there, server_hostname="api.lab.example.com")
    server = theirs.wrap_bio(there, back, server_side=True)
    handshake(client, server)
    assert (("commonName", "system:admin"),) in server.getpeercert()["subject"]


async def test_a_machine_that_joins_has_a_day_to_get_a_certificate_of_its_own():
    (leaf, *_) = certificates_of(on_bootstrap(await made())["/opt/openshift/tls/kubelet-bootstrap.crt"])
    lifetime = leaf.not_valid_after_utc - leaf.not_valid_before_utc
    assert 24 <= lifetime.total_seconds() / 3600 <= 25


# The ingress.


async def test_the_ingress_is_trusted_first_and_the_rest_as_before():
    before = (await made()).files["kubeconfig-noingress"]
    ingress = new_ingress_ca("lab.example.com")
    after = kubeconfig_with_ingress(before, ingress)
    assert trusted_by(after) == ingress.encode() + trusted_by(before)
    assert entry(after, "user") == entry(before, "user")
    assert entry(after, "cluster")["server"] == entry(before, "cluster")["server"]


async def test_an_ingress_certificate_without_a_last_newline_does_not_run_into_the_next():
    before = (await made()).files["kubeconfig-noingress"]
    after = kubeconfig_with_ingress(before, new_ingress_ca("lab.example.com").rstrip("\n"))
    assert len(certificates_of(trusted_by(after))) == 3


@pytest.mark.parametrize(
    "text", ["", "hello", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "\u00e9"]
)
async def test_an_ingress_certificate_that_is_none_is_refused(text):
    before = (await made()).files["kubeconfig-noingress"]
    with pytest.raises(Invalid, match="ingress-cert"):
        kubeconfig_with_ingress(before, text)


async def test_what_passes_for_a_certificate_at_the_door_is_not_lost_here():
    odd = "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n"
    before = (await made()).files["kubeconfig-noingress"]
    assert trusted_by(kubeconfig_with_ingress(before, odd)).startswith(odd.encode())


@pytest.mark.parametrize(
    "text",
    [
        "[hunter2",
        "hunter2",
        "clusters: []",
        "clusters: [hunter2]",
        "clusters: [{name: x, cluster: {server: hunter2}}]",
        "clusters: [{name: x, cluster: {certificate-authority-data: hunter2}}]",
        "clusters: [{name: x, cluster: {certificate-authority-data: aHVudGVyMg==}}]",
        "clusters: [{name: x, cluster: {certificate-authority-data: 5}}]",
    ],
)
def test_a_kubeconfig_that_cannot_be_right_is_broken_and_not_quoted(text):
    with pytest.raises(Broken) as trouble:
        kubeconfig_with_ingress(text.encode(), new_ingress_ca("lab.example.com"))
    assert "hunter2" not in str(trouble.value)
    assert trouble.value.__cause__ is None


def test_an_ingress_authority_vouches_for_routes_of_its_cluster_only():
    (authority,) = certificates_of(new_ingress_ca("lab.example.com").encode())
    limits = authority.extensions.get_extension_for_class(x509.NameConstraints)
    assert limits.critical
    assert limits.value.permitted_subtrees == [x509.DNSName("apps.lab.example.com")]


def test_a_cluster_with_the_longest_name_gets_its_ingress_authority_too():
    assert new_ingress_ca("a" * 54 + "." + ".".join(["b" * 40] * 3))
