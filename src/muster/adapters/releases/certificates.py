"""Makes the certificates a cluster starts with. Called by the lab's release and the lab's controller.

One root stands above two authorities: one for the API server and its clients, one for the machine
config server. Every key is new and is known to nobody but the files it is written to.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID as Purpose
from cryptography.x509.oid import NameOID

from muster.domain.clusters import Cluster
from muster.domain.record import Record

TEN_YEARS = timedelta(days=3650)
ONE_DAY = timedelta(days=1)
"""As long as a machine that joins may take to get a certificate of its own."""
SKEW = timedelta(hours=1)
"""How far the clock of a machine may be behind ours and still trust what we make now."""

_KEY_USES = (
    "digital_signature",
    "content_commitment",
    "key_encipherment",
    "data_encipherment",
    "key_agreement",
    "key_cert_sign",
    "crl_sign",
    "encipher_only",
    "decipher_only",
)

Address = IPv4Address | IPv6Address


class Identity(Record):
    """A certificate with its key, and the certificates that vouch for it, nearest first."""

    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey
    vouchers: tuple[x509.Certificate, ...] = ()

    @property
    def chain(self) -> bytes:
        """The certificate and those that vouch for it, as PEM."""
        return b"".join(each.public_bytes(Encoding.PEM) for each in (self.certificate, *self.vouchers))

    @property
    def key_pem(self) -> bytes:
        """The private key, as PEM."""
        return self.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


class Certificates(Record):
    """All identities of a new cluster."""

    root_ca: Identity
    kube_apiserver_ca: Identity
    kube_apiserver: Identity
    admin: Identity
    kubelet_bootstrap: Identity
    machine_config_server_ca: Identity
    machine_config_server: Identity

    def named(self) -> tuple[tuple[str, Identity], ...]:
        """Every identity with the name its files go by."""
        return tuple((field.replace("_", "-"), getattr(self, field)) for field in self.__struct_fields__)


class Draft(Record):
    """What a certificate is to say."""

    subject: x509.Name
    lifetime: timedelta = TEN_YEARS
    authority: bool = False
    extensions: tuple[x509.ExtensionType, ...] = ()


def new_certificates(cluster: Cluster) -> Certificates:
    """A new identity for everything in the cluster that needs one from the start."""
    root = issue(_authority("root-ca"), None)
    api = issue(_authority("kube-apiserver-ca"), root)
    machines = issue(_authority("machine-config-server-ca"), root)
    vips = tuple(ip_address(vip.ip) for vip in cluster.api_vips)
    api_names = (f"api.{cluster.domain}", f"api-int.{cluster.domain}", *_LOCAL_NAMES)
    return Certificates(
        root_ca=root,
        kube_apiserver_ca=api,
        kube_apiserver=issue(_server("kube-apiserver", api_names, (*vips, *_local_addresses(cluster))), api),
        admin=issue(_client("system:admin", "system:masters", TEN_YEARS), api),
        kubelet_bootstrap=issue(_client("system:bootstrap:kubelet", "system:bootstrappers", ONE_DAY), api),
        machine_config_server_ca=machines,
        machine_config_server=issue(_server("machine-config-server", (f"api-int.{cluster.domain}",), vips), machines),
    )


def new_ingress_ca(domain: str) -> str:
    """A new authority, as PEM, that vouches for the routes of a cluster and for nothing else."""
    routes = x509.NameConstraints(permitted_subtrees=[x509.DNSName(f"apps.{domain}")], excluded_subtrees=None)
    draft = _authority("ingress-operator").but(extensions=(routes,))
    return issue(draft, None).chain.decode()


def issue(draft: Draft, issuer: Identity | None) -> Identity:
    """A new key and a certificate for it that the issuer signed; without an issuer it signs itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    signer = issuer.key if issuer else key
    now = datetime.now(UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(draft.subject)
        .issuer_name(issuer.certificate.subject if issuer else draft.subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - SKEW)
        .not_valid_after(now + draft.lifetime)
        .add_extension(x509.BasicConstraints(ca=draft.authority, path_length=None), critical=True)
        .add_extension(_key_usage(authority=draft.authority), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()), critical=False)
    )
    for extension in draft.extensions:
        builder = builder.add_extension(extension, critical=isinstance(extension, x509.NameConstraints))
    vouchers = (issuer.certificate, *issuer.vouchers) if issuer else ()
    return Identity(certificate=builder.sign(signer, hashes.SHA256()), key=key, vouchers=vouchers)


_LOCAL_NAMES = (
    "localhost",
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "kubernetes.default.svc.cluster.local",
)
"""The API server's names seen from its own machine and from inside the cluster."""


def _local_addresses(cluster: Cluster) -> tuple[Address, ...]:
    """The API server's addresses seen from its own machine and from inside the cluster."""
    inside = tuple(ip_network(cidr)[1] for cidr in cluster.service_networks)
    return (ip_address("127.0.0.1"), ip_address("::1"), *inside)


def _authority(name: str) -> Draft:
    unit = x509.NameAttribute(NameOID.ORGANIZATIONAL_UNIT_NAME, "openshift")
    return Draft(subject=x509.Name([unit, x509.NameAttribute(NameOID.COMMON_NAME, name)]), authority=True)


def _server(name: str, names: Iterable[str], addresses: Sequence[Address]) -> Draft:
    known = [*map(x509.DNSName, names), *map(x509.IPAddress, dict.fromkeys(addresses))]
    return Draft(
        subject=x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]),
        extensions=(x509.ExtendedKeyUsage([Purpose.SERVER_AUTH]), x509.SubjectAlternativeName(known)),
    )


def _client(user: str, group: str, lifetime: timedelta) -> Draft:
    names = (
        x509.NameAttribute(NameOID.ORGANIZATION_NAME, group),
        x509.NameAttribute(NameOID.COMMON_NAME, user),
    )
    purpose = x509.ExtendedKeyUsage([Purpose.CLIENT_AUTH])
    return Draft(subject=x509.Name(names), lifetime=lifetime, extensions=(purpose,))


def _key_usage(*, authority: bool) -> x509.KeyUsage:
    granted = {"key_cert_sign", "crl_sign"} if authority else {"digital_signature"}
    return x509.KeyUsage(**{use: use in granted for use in _KEY_USES})
