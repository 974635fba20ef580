"""Tokens: the same each time, good only if signed with our key, and silent about themselves."""

import base64
import json

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from muster.domain.errors import Invalid
from muster.wire.tokens import Claims, Keys, Untrusted
from parts.keys import new_key, public_key

PRIVATE = new_key()
KEYS = Keys(PRIVATE)
ENV = "6d4c3bb6-70a4-4d4c-a1f6-9ab3c9a3b3f1"
CLAIMS = Claims(infra_env_id=ENV)


def part(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


def test_what_was_signed_can_be_read():
    for claims in (CLAIMS, Claims(cluster_id=ENV), Claims(user="alice", role="admin", email="a@b.c", exp=1.5)):
        assert KEYS.read(KEYS.signed(claims)) == claims


def test_a_token_says_nothing_but_what_it_is_for_and_has_the_length_that_addresses_have_room_for():
    header, claims, _ = KEYS.signed(CLAIMS).split(".")
    assert json.loads(base64.urlsafe_b64decode(header + "==")) == {"alg": "ES256", "typ": "JWT"}
    assert base64.urlsafe_b64decode(claims + "==") == f'{{"infra_env_id":"{ENV}"}}'.encode()
    assert len(KEYS.signed(CLAIMS)) == 198


def test_the_same_claims_make_the_same_token_in_every_process():
    assert Keys(PRIVATE).signed(CLAIMS) == Keys(PRIVATE, public_key(PRIVATE)).signed(CLAIMS)


@pytest.mark.parametrize(
    ("token", "why"),
    [
        (Keys(new_key()).signed(CLAIMS), "not signed with the key"),
        (
            f"{part({'alg': 'ES256'})}.{part({'cluster_id': ENV})}.{KEYS.signed(CLAIMS).split('.')[2]}",
            "not signed with",
        ),
        (f"{part({'alg': 'none'})}.{part({'infra_env_id': ENV})}.", "ES256"),
        (f"{part({'alg': 'HS256'})}.{part({'infra_env_id': ENV})}.AAAA", "ES256"),
        (f"{part({'alg': 'ES256'})}.{part({'infra_env_id': ENV})}.AAAA", "length"),
        (part({"alg": "ES256"}), "read"),
        ("", "read"),
        ("a.b.c", "read"),
        ("\u00e9.b.c", "read"),
        ("....", "read"),
    ],
)
def test_what_our_key_has_not_signed_is_not_trusted(token, why):
    with pytest.raises(Untrusted, match=why) as refused:
        KEYS.read(token)
    assert len(token) < 3 or token not in str(refused.value)


def test_claims_of_the_wrong_kind_are_not_trusted_though_they_are_signed():
    signed = KEYS._signed(Claims().but(user=7))
    with pytest.raises(Untrusted, match="read"):
        KEYS.read(signed)


def wrapped(pem: str) -> str:
    return base64.b64encode(pem.encode()).decode()


@pytest.mark.parametrize(
    "private",
    [
        PRIVATE.replace("\n", "\\n"),
        wrapped(PRIVATE),
        f"-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n{PRIVATE}",
        f"\n  {PRIVATE}  \n",
    ],
)
def test_a_key_is_understood_in_every_way_in_which_it_is_handed_on(private):
    assert Keys(private).signed(CLAIMS) == KEYS.signed(CLAIMS)


def test_a_public_key_is_understood_by_either_name():
    public = public_key(PRIVATE)
    for each in (public, public.replace("PUBLIC KEY", "EC PUBLIC KEY"), wrapped(public)):
        assert Keys(PRIVATE, each).read(KEYS.signed(CLAIMS)) == CLAIMS


@pytest.mark.parametrize(
    ("private", "public", "named"),
    [
        ("rubbish!", "", "EC_PRIVATE_KEY_PEM is no private key"),
        ("cnViYmlzaA==", "", "EC_PRIVATE_KEY_PEM is no private key"),
        ("-----BEGIN EC PRIVATE KEY-----\nAAAA\n-----END EC PRIVATE KEY-----", "", "openssl ecparam"),
        (public_key(PRIVATE), "", "EC_PRIVATE_KEY_PEM is no private key"),
        (new_key(ec.SECP384R1()), "", "P-256"),
        (PRIVATE, "rubbish!", "EC_PUBLIC_KEY_PEM is no public key"),
        (PRIVATE, PRIVATE, "EC_PUBLIC_KEY_PEM is no public key"),
        (PRIVATE, public_key(new_key()), "is not the public key of EC_PRIVATE_KEY_PEM"),
    ],
)
def test_keys_that_are_of_no_use_are_refused_by_the_name_of_the_setting(private, public, named):
    with pytest.raises(Invalid, match=named) as refused:
        Keys(private, public)
    said = str(refused.value)
    assert not any(line in said for line in (private + public).splitlines() if len(line) > 10)
