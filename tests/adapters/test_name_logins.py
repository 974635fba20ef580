"""Logins as they are written for Amazon's tools, and calls that are signed with them."""

import urllib.error
import urllib.request
from datetime import UTC, datetime
from hashlib import sha256

import pytest

from muster.adapters.names.credentials import Login, SharedLogins
from muster.adapters.names.signing import Call, Place, signed
from muster.domain.errors import Broken
from parts.s3 import ACCESS_KEY, BUCKET, SECRET_KEY


def in_file(tmp_path, text, part="default"):
    path = tmp_path / "credentials"
    path.write_text(text)
    return SharedLogins(file=str(path), part=part, given=Login(key_id="given", key="given"))


WRITTEN = """
[default]
aws_access_key_id = me
aws_secret_access_key = hu%sh

[elsewhere]
aws_access_key_id=you
aws_secret_access_key=quiet
aws_session_token=for a while
"""


def test_a_login_is_read_from_its_part_of_the_file(tmp_path):
    assert in_file(tmp_path, WRITTEN).login() == Login(key_id="me", key="hu%sh")
    other = in_file(tmp_path, WRITTEN, "elsewhere").login()
    assert other == Login(key_id="you", key="quiet", token="for a while")


def test_a_login_that_was_renewed_counts_at_once(tmp_path):
    logins = in_file(tmp_path, WRITTEN)
    assert logins.login().key_id == "me"
    in_file(tmp_path, WRITTEN.replace("= me", "= new"))
    assert logins.login().key_id == "new"


@pytest.mark.parametrize("text", ["", "[default]\naws_access_key_id = me", "[other]\naws_secret_access_key = hush"])
def test_a_file_without_the_login_is_told_with_the_name_it_should_be_under(tmp_path, text):
    with pytest.raises(Broken, match=r"aws_secret_access_key under \[default\].*AWS_PROFILE"):
        in_file(tmp_path, text).login()


def test_a_file_that_cannot_be_read_is_told_without_what_is_in_it(tmp_path):
    with pytest.raises(Broken, match="is no file with logins") as caught:
        in_file(tmp_path, "hush-this-is-the-secret").login()
    assert "hush" not in str(caught.value)
    assert caught.value.__cause__ is None
    with pytest.raises(Broken, match="No such file or directory; see AWS_SHARED_CREDENTIALS_FILE"):
        SharedLogins(file=str(tmp_path / "nowhere")).login()


def test_without_a_file_the_login_is_the_one_that_was_given():
    assert SharedLogins(given=Login(key_id="me", key="hush")).login().key_id == "me"
    with pytest.raises(Broken, match="set AWS_SHARED_CREDENTIALS_FILE"):
        SharedLogins().login()


# Signatures.


def test_the_example_of_the_description_is_signed_as_it_says():
    call = Call(
        method="GET",
        url="https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08",
        headers={"Content-Type": "application/x-www-form-urlencoded; charset=utf-8"},
    )
    login = Login(key_id="AKIDEXAMPLE", key="wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
    place = Place(region="us-east-1", service="iam")
    headers = signed(call, login, place, datetime(2015, 8, 30, 12, 36, tzinfo=UTC))
    assert headers["authorization"] == (
        "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request,"
        " SignedHeaders=content-type;host;x-amz-date,"
        " Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7"
    )


def test_a_server_that_checks_signatures_lets_us_in_and_nobody_else(s3):
    def put(key):
        body = b"a file"
        headers = {"x-amz-content-sha256": sha256(body).hexdigest()}
        url = f"{s3.endpoint}/{BUCKET}/signed/file"
        call = Call(method="PUT", url=url, headers=headers, body=body)
        login, place = Login(key_id=ACCESS_KEY, key=key), Place(region="us-east-1", service="s3")
        sent = signed(call, login, place, datetime.now(UTC))
        request = urllib.request.Request(url, data=body, method="PUT", headers=sent)
        return urllib.request.urlopen(request, timeout=10).status

    assert put(SECRET_KEY) == 200
    with pytest.raises(urllib.error.HTTPError, match="403"):
        put("another secret")
