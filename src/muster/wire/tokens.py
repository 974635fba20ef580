"""Tokens: what a caller may show to be let in, as signed JSON (JWT, ES256). Faces read them; whoever lets in signs.

The same claims always make the same token, so that links stay what they are and an image is the same in every part.
"""

import binascii
from base64 import b64decode, urlsafe_b64decode, urlsafe_b64encode
from functools import lru_cache

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature

from muster.domain.errors import Invalid, NotFound
from muster.domain.record import Record

PRIVATE, PUBLIC = "EC_PRIVATE_KEY_PEM", "EC_PUBLIC_KEY_PEM"
"""The names of the settings that hold the keys."""

ALGORITHM = "ES256"
NUMBER = 32
"""Bytes of each of the two numbers that a signature is."""

MADE, SEEN = 4096, 65536
"""How many tokens are remembered that were made here, and that were found good, so that either is done once."""

_ECDSA = ec.ECDSA(hashes.SHA256(), deterministic_signing=True)
_CHECK = ec.ECDSA(hashes.SHA256())


ROLES = ("user", "admin", "read-only-admin")
"""What a user may be."""


class Claims(Record):
    """What a token says of who shows it: the one thing it is for, or a user."""

    infra_env_id: str = ""
    cluster_id: str = ""
    user: str = ""
    role: str = ""
    email: str = ""
    org_id: str = ""
    exp: float | None = None
    """When it ends, in seconds since 1970; it does not if nothing is said."""


class Header(Record, omit_defaults=False):
    """How a token is signed."""

    alg: str = ""
    typ: str = "JWT"


class Said(Record):
    """What the token of an image says, whoever has signed it: which infra-env it is for, in either of two ways."""

    sub: str = ""
    infra_env_id: str = ""


def claimed(token: str) -> str:
    """The infra-env that a token says it is for. It is not looked whether that is true; `NotFound` if it says none."""
    try:
        said = msgspec.json.decode(_decoded(token.split(".")[1].encode("ascii")), type=Said)
    except (IndexError, ValueError, msgspec.DecodeError):
        said = Said()
    if not (said.sub or said.infra_env_id):
        raise NotFound("There is no image here: the link has no token that could be read; take it whole")
    return said.sub or said.infra_env_id


class Untrusted(Exception):
    """A token that proves nothing. The text says why, and nothing of the token."""


class Keys:
    """The pair of keys that tokens are signed and checked with. `Invalid` if they are none, or not a pair."""

    def __init__(self, private: str, public: str = "") -> None:
        self._private = _private(private)
        self._public = self._private.public_key()
        if public and _public(public).public_numbers() != self._public.public_numbers():
            raise Invalid(f"{PUBLIC} is not the public key of {PRIVATE}; leave it out, or set both anew")
        self._sign = lru_cache(maxsize=MADE)(self._signed)
        self._trust = lru_cache(maxsize=SEEN)(self._read)

    def signed(self, claims: Claims) -> str:
        """The token that says this."""
        return self._sign(claims)

    def read(self, token: str) -> Claims:
        """What a token says, if it was signed with our key; else `Untrusted`."""
        return self._trust(token)

    def _signed(self, claims: Claims) -> str:
        text = b".".join(_written(msgspec.json.encode(each)) for each in (Header(alg=ALGORITHM), claims))
        first, second = decode_dss_signature(self._private.sign(text, _ECDSA))
        signature = first.to_bytes(NUMBER, "big") + second.to_bytes(NUMBER, "big")
        return b".".join((text, _written(signature))).decode()

    def _read(self, token: str) -> Claims:
        try:
            text, _, signature = token.encode("ascii").rpartition(b".")
            header, _, claims = text.partition(b".")
            if msgspec.json.decode(_decoded(header), type=Header).alg != ALGORITHM:
                raise Untrusted(f"it is not signed by {ALGORITHM}")
            self._public.verify(_dss(_decoded(signature)), text, _CHECK)
            return msgspec.json.decode(_decoded(claims), type=Claims)
        except InvalidSignature:
            raise Untrusted("it was not signed with the key of this service") from None
        except (ValueError, msgspec.DecodeError):
            raise Untrusted("it is not a token that can be read") from None


def _dss(signature: bytes) -> bytes:
    if len(signature) != 2 * NUMBER:
        raise Untrusted("its signature has the wrong length")
    return encode_dss_signature(int.from_bytes(signature[:NUMBER], "big"), int.from_bytes(signature[NUMBER:], "big"))


def _written(raw: bytes) -> bytes:
    return urlsafe_b64encode(raw).rstrip(b"=")


def _decoded(text: bytes) -> bytes:
    return urlsafe_b64decode(text + b"=" * (-len(text) % 4))


def _private(pem: str) -> ec.EllipticCurvePrivateKey:
    try:
        key = serialization.load_der_private_key(_der(pem), password=None)
    except (ValueError, TypeError, binascii.Error):
        key = None
    if not isinstance(key, ec.EllipticCurvePrivateKey) or not isinstance(key.curve, ec.SECP256R1):
        raise Invalid(f"{PRIVATE} is no private key of the curve P-256 in PEM form; {HOW}")
    return key


def _public(pem: str) -> ec.EllipticCurvePublicKey:
    try:
        key = serialization.load_der_public_key(_der(pem))
    except (ValueError, TypeError, binascii.Error):
        key = None
    if not isinstance(key, ec.EllipticCurvePublicKey):
        raise Invalid(f"{PUBLIC} is no public key in PEM form; leave it out, or set both keys anew")
    return key


HOW = "make one with `openssl ecparam -name prime256v1 -genkey -noout`"


def _der(pem: str) -> bytes:
    """What is between the first and the last line. They may be missing a line end, or be wrapped in base64 whole."""
    text = pem.replace("\\n", "\n").strip()
    if BEGIN not in text:
        text = b64decode(text, validate=True).decode("ascii").strip()
    block = text[text.rindex(BEGIN) :].splitlines()
    return b64decode("".join(line for line in block[1:] if not line.startswith("-----END")))


BEGIN = "-----BEGIN"
