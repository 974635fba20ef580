"""Short links to discovery images, and the tokens in long ones."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import UTC, datetime, timedelta

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import an_infra_env
from muster.domain.errors import NotFound
from muster.domain.infra_envs import ImageType
from muster.wire.image_links import KINDS, code_of, expiry, is_genuine, read_code
from muster.wire.tokens import claimed

ID = "0d9a1d4e-7d39-4d2c-9c56-0f1f4f0a9f11"
NOW = datetime(2026, 11, 15, 12, 34, 56, 789, tzinfo=UTC)
IMAGE = an_infra_env(id=ID, image_token_key="a" * 64)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("ends", [None, NOW.replace(microsecond=0)])
def test_a_code_says_which_image_and_until_when(kind, ends):
    image = IMAGE.but(type=kind)
    code = code_of(image, ends)
    link = read_code(code)
    assert (link.infra_env_id, link.kind, link.expires_at) == (ID, kind, ends)
    assert is_genuine(code, image)
    assert len(code) == 40


def test_every_kind_of_image_has_a_number():
    assert set(KINDS) == set(ImageType)


def test_a_code_that_was_signed_with_another_key_is_not_genuine():
    code = code_of(IMAGE, None)
    assert not is_genuine(code, IMAGE.but(image_token_key="b" * 64))


@given(st.integers(0, 29), st.integers(1, 255))
def test_no_bit_of_a_code_can_be_changed(at, by):
    raw = bytearray(urlsafe_b64decode(code_of(IMAGE, NOW)))
    raw[at] ^= by
    changed = urlsafe_b64encode(raw).decode()
    try:
        link = read_code(changed)
    except NotFound:
        return
    assert link.infra_env_id != ID or not is_genuine(changed, IMAGE)


@pytest.mark.parametrize("code", ["", "abc", "x" * 39, "x" * 41, "x" * 44, "ä" * 40, "_" * 40])
def test_what_is_no_code_leads_nowhere(code):
    with pytest.raises(NotFound, match="cut short"):
        read_code(code)


def test_a_link_stays_the_same_for_a_while_and_lasts_at_least_as_long_as_it_should():
    lasts = timedelta(hours=4)
    ends = [expiry(NOW + timedelta(minutes=15 * step), lasts) for step in range(8)]
    assert all(
        end - (NOW + timedelta(minutes=15 * step)) >= lasts - timedelta(seconds=1) for step, end in enumerate(ends)
    )
    assert len(set(ends)) == 3
    assert expiry(NOW, timedelta(seconds=1)) > NOW
    assert expiry(NOW, timedelta(0)) is None


def token(**claims):
    return ".".join(["e30", urlsafe_b64encode(msgspec.json.encode(claims)).rstrip(b"=").decode(), "x"])


def test_a_token_says_which_image_it_is_for():
    assert claimed(token(sub="one", exp=5)) == "one"
    assert claimed(token(infra_env_id="two")) == "two"


@pytest.mark.parametrize("text", ["", "x", "a.b.c", "e30.e30.x", "a.ä.c", "e30.W10.x"])
def test_a_token_that_says_nothing_leads_nowhere(text):
    with pytest.raises(NotFound, match="take it whole"):
        claimed(text)
