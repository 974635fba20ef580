"""What is wrong with the settings that no type can say, and what has no effect although somebody has set it."""

import os
from collections.abc import Callable, Iterator, Mapping

from muster.domain.errors import Invalid
from muster.domain.inputs.releases import os_image_problems
from muster.domain.network_defaults import default_network_problems
from muster.domain.steps import STEPS
from muster.domain.validations.catalogue import CLUSTER_VALIDATIONS, HOST_VALIDATIONS

from .families import FAMILIES, members
from .ignored import WHY
from .table import Settings

Complaints = Iterator[str]

DATABASES = ("sqlite://", "postgresql://", "postgres://")
WAYS_IN = ("none", "local")
"""The ways of letting callers in that are there so far."""


def checked(settings: Settings) -> Settings:
    """The settings themselves. Raises `Invalid` with everything that cannot be right, a line each."""
    if complaints := [complaint for check in CHECKS for complaint in check(settings)]:
        raise Invalid("\n".join(complaints))
    return settings


def _validations(settings: Settings) -> Complaints:
    known = (
        ("DISABLED_HOST_VALIDATIONS", settings.disabled_host_validations, HOST_VALIDATIONS),
        ("DISABLED_CLUSTER_VALIDATIONS", settings.disabled_cluster_validations, CLUSTER_VALIDATIONS),
    )
    for name, given, validations in known:
        for unknown in sorted(given - {each.id for each in validations}):
            yield f"{name} names {unknown!r}, which is no check; see docs/validations.md for their names"


def _database(settings: Settings) -> Complaints:
    if settings.database and not settings.database.startswith(DATABASES):
        yield "MUSTER_DATABASE (--database) must begin with sqlite:// or postgresql://"
    if settings.database:
        return
    given = {
        "DB_HOST": settings.db_host,
        "DB_NAME": settings.db_name,
        "DB_USER": settings.db_user,
        "DB_PASS": settings.db_pass,
    }
    missing = [name for name in ("DB_HOST", "DB_NAME", "DB_USER") if not given[name]]
    said = [name for name, value in given.items() if value]
    if said and missing:
        yield f"{missing[0]} is missing: {', '.join(said)} alone do not say where the database is"


def _storage(settings: Settings) -> Complaints:
    if settings.storage_kind == "s3" and not settings.s3_bucket and not settings.storage:
        yield "S3_BUCKET is missing: STORAGE is s3, and files need a bucket to be in"
    if bool(settings.s3_key_id) != bool(settings.s3_key):
        yield "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY go together: set both, or neither"


def _access(settings: Settings) -> Complaints:
    if settings.auth_type not in WAYS_IN:
        yield f"AUTH_TYPE is {settings.auth_type!r}; so far it can be {' or '.join(WAYS_IN)}"
    if settings.auth_type == "local" and not settings.private_key:
        yield (
            "EC_PRIVATE_KEY_PEM is missing: AUTH_TYPE is local, and tokens are signed with it; make one with"
            " `openssl ecparam -name prime256v1 -genkey -noout`"
        )


def _https(settings: Settings) -> Complaints:
    if bool(settings.https_cert) != bool(settings.https_key):
        yield "HTTPS_CERT_FILE and HTTPS_KEY_FILE go together: set both to serve HTTPS, or neither"
    for name, path in (("HTTPS_CERT_FILE", settings.https_cert), ("HTTPS_KEY_FILE", settings.https_key)):
        if path and not os.access(path, os.R_OK):
            yield f"{name} is {path!r}, which cannot be read"
    if settings.http_port == settings.port:
        yield f"HTTP_LISTEN_PORT is {settings.http_port}, on which the service listens already (MUSTER_PORT)"


def _os_images(settings: Settings) -> Complaints:
    yield from os_image_problems(settings.os_images)
    path = settings.base_images.images_ca_file
    if path and not os.access(path, os.R_OK):
        yield f"OS_IMAGE_DOWNLOAD_TRUSTED_CA_FILE is {path!r}, which cannot be read"


def _networks(settings: Settings) -> Complaints:
    yield from default_network_problems(settings.networks)


CHECKS: tuple[Callable[[Settings], Complaints], ...] = (
    _validations,
    _networks,
    _database,
    _storage,
    _access,
    _https,
    _os_images,
)


def doubts(settings: Settings, environment: Mapping[str, str] = os.environ) -> Iterator[str]:
    """What has no effect although somebody has set it, a sentence each."""
    for step in sorted(settings.disabled_steps - STEPS.keys()):
        yield f"DISABLED_STEPS names {step!r}, which is no step; it is ignored. Steps are {', '.join(sorted(STEPS))}"
    for family in FAMILIES:
        begin, _, end = family.partition("<STAGE>")
        for name in sorted(environment.keys() - members(family).keys()):
            if name.startswith(begin) and name.endswith(end):
                yield f"{name} is ignored: no stage of that name has a limit. See docs/settings.md for those that have"
    if settings.discovery.install_vendor_ca and not settings.discovery.vendor_ca_path:
        yield "INSTALL_RH_CA is ignored: no company's certificates are shipped; name yours with MUSTER_VENDOR_CA_FILE"
    for name in sorted(WHY.keys() & environment.keys()):
        yield f"{name} is ignored: {WHY[name]}"
