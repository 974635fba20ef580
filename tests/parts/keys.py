"""Keys and tokens for services that ask who calls."""

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from muster.wire.tokens import Claims, Keys


def new_key(curve: ec.EllipticCurve | None = None) -> str:
    """A private key that nobody has, in PEM form."""
    key = ec.generate_private_key(curve or ec.SECP256R1())
    form = serialization.PrivateFormat.TraditionalOpenSSL
    return key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption()).decode()


def public_key(private: str) -> str:
    """The public key that belongs to a private one, in PEM form."""
    key = serialization.load_pem_private_key(private.encode(), password=None)
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    return key.public_key().public_bytes(serialization.Encoding.PEM, form).decode()


class Locksmith:
    """Has the key of a service and makes tokens with it."""

    def __init__(self) -> None:
        self.private = new_key()
        self.keys = Keys(self.private)

    @property
    def environment(self) -> dict[str, str]:
        """The settings of a service that trusts this key and asks everybody."""
        return {"AUTH_TYPE": "local", "EC_PRIVATE_KEY_PEM": self.private, "EC_PUBLIC_KEY_PEM": public_key(self.private)}

    def user(self, name: str = "alice", role: str = "admin", **more: str) -> str:
        """The token of a user."""
        return self.keys.signed(Claims(user=name, role=role, **more))

    def infra_env(self, infra_env_id: str) -> str:
        """The token of an infra-env."""
        return self.keys.signed(Claims(infra_env_id=infra_env_id))

    def cluster(self, cluster_id: str) -> str:
        """The token of a cluster."""
        return self.keys.signed(Claims(cluster_id=cluster_id))
