"""Every setting of the service: one field each, from the environment or the command line."""

import os
import re
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec

from muster.domain.errors import Invalid
from muster.domain.policy import Policy
from muster.domain.record import Record
from muster.domain.releases import OsImage, Release
from muster.domain.requirements import Requirements
from muster.domain.validations.catalogue import CLUSTER_VALIDATIONS, HOST_VALIDATIONS


def _env(name: str, default: Any) -> Any:
    """A field that the environment may set under `name`."""
    return msgspec.field(name=name, default=default)


class Settings(Record):
    """How this process runs. The names in capitals are those of the environment."""

    host: str = _env("MUSTER_HOST", "0.0.0.0")  # noqa: S104 - agents come from everywhere
    port: int = _env("MUSTER_PORT", 8090)
    data: str = _env("MUSTER_DATA", "data")
    database: str = _env("MUSTER_DATABASE", "")
    storage: str = _env("MUSTER_STORAGE", "")
    log_level: str = _env("LOG_LEVEL", "info")
    auth_type: str = _env("AUTH_TYPE", "none")
    service_base_url: str = _env("SERVICE_BASE_URL", "")
    image_service_base_url: str = _env("IMAGE_SERVICE_BASE_URL", "")
    release_images: tuple[Release, ...] = _env("RELEASE_IMAGES", ())
    os_images: tuple[OsImage, ...] = _env("OS_IMAGES", ())
    agent_image: str = _env("AGENT_DOCKER_IMAGE", Policy().agent_image)
    installer_image: str = _env("INSTALLER_IMAGE", Policy().installer_image)
    controller_image: str = _env("CONTROLLER_IMAGE", Policy().controller_image)
    requirements: tuple[dict[str, Any], ...] = _env("HW_VALIDATOR_REQUIREMENTS", ())
    disabled_host_validations: tuple[str, ...] = _env("DISABLED_HOST_VALIDATIONS", ())
    disabled_cluster_validations: tuple[str, ...] = _env("DISABLED_CLUSTER_VALIDATIONS", ())
    disabled_steps: tuple[str, ...] = _env("DISABLED_STEPS", ())
    public_registries: tuple[str, ...] = _env("PUBLIC_CONTAINER_REGISTRIES", ())
    ntp_default: str = _env("NTP_DEFAULT_SERVER", "")
    check_cluster_version: bool = _env("CHECK_CLUSTER_VERSION", False)
    disconnection: str = _env("HOST_MAX_DISCONNECTION_TIME", "3m")

    @property
    def database_url(self) -> str:
        """Where the records are kept: a file in the data folder unless said otherwise."""
        return self.database or f"sqlite:///{Path(self.data).absolute() / 'muster.db'}"

    @property
    def storage_url(self) -> str:
        """Where the files are kept: a folder in the data folder unless said otherwise."""
        return self.storage or str(Path(self.data).absolute() / "files")


LISTS = frozenset({
    "DISABLED_HOST_VALIDATIONS", "DISABLED_CLUSTER_VALIDATIONS", "DISABLED_STEPS", "PUBLIC_CONTAINER_REGISTRIES",
})  # fmt: skip
"""Settings that are words separated by commas."""

DOCUMENTS = frozenset({"RELEASE_IMAGES", "OS_IMAGES", "HW_VALIDATOR_REQUIREMENTS"})
"""Settings that are JSON."""


def read_settings(environment: Mapping[str, str] = os.environ, **given: Any) -> Settings:
    """The settings from the environment; what is given by name wins. Raises `Invalid` naming what is wrong."""
    names = {field.name: field.encode_name for field in msgspec.structs.fields(Settings)}
    values: dict[str, Any] = {}
    for name in names.values():
        text = environment.get(name, "")
        if text:
            values[name] = _parsed(name, text)
    values |= {names[name]: value for name, value in given.items() if value is not None}
    try:
        settings = msgspec.convert(values, Settings, strict=False)
    except msgspec.ValidationError as error:
        said, _, path = str(error).partition(" - at `$.")
        raise Invalid(f"{path.rstrip('`')} is not right: {said}") from error
    return _checked(settings)


def _parsed(name: str, text: str) -> Any:
    if name in LISTS:
        return [word.strip() for word in text.split(",")]
    if name not in DOCUMENTS:
        return text
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise Invalid(f"{name} is not JSON: {error}") from error


def _checked(settings: Settings) -> Settings:
    known = (
        ("DISABLED_HOST_VALIDATIONS", settings.disabled_host_validations, {each.id for each in HOST_VALIDATIONS}),
        (
            "DISABLED_CLUSTER_VALIDATIONS",
            settings.disabled_cluster_validations,
            {each.id for each in CLUSTER_VALIDATIONS},
        ),
    )
    for name, given, ids in known:
        unknown = [each for each in given if each not in ids]
        if unknown:
            raise Invalid(f"{name} names {unknown[0]!r}, which is no check; see docs/validations.md for their names")
    if not 0 < settings.port < 65536:  # noqa: PLR2004 - ports are what they are
        raise Invalid(f"MUSTER_PORT (--port) is {settings.port}; a port is a number from 1 to 65535")
    if settings.auth_type != "none":
        raise Invalid(f"AUTH_TYPE is {settings.auth_type!r}; only 'none' is supported so far")
    if not settings.database_url.startswith(("sqlite://", "postgresql://", "postgres://")):
        raise Invalid("MUSTER_DATABASE (--database) must begin with sqlite:// or postgresql://")
    return settings


UNITS = {"h": "hours", "m": "minutes", "s": "seconds", "ms": "milliseconds"}


def duration(name: str, text: str) -> timedelta:
    """A time such as `90s`, `3m` or `1h30m`."""
    if not re.fullmatch(r"(\d+(\.\d+)?(h|ms|m|s))+", text):
        raise Invalid(f"{name} is {text!r}; write a time such as 90s, 3m or 1h30m")
    found = re.findall(r"(\d+(?:\.\d+)?)(h|ms|m|s)", text)
    return sum((timedelta(**{UNITS[unit]: float(number)}) for number, unit in found), timedelta())


def policy_from(settings: Settings) -> Policy:
    """What decisions need of the settings."""
    default = next((each for each in settings.requirements if each.get("version") == "default"), {})
    roles = {name: value for name, value in default.items() if name in Requirements.__struct_fields__}
    try:
        requirements = msgspec.convert(roles, Requirements)
    except msgspec.ValidationError as error:
        raise Invalid(f"HW_VALIDATOR_REQUIREMENTS: {error}") from error
    base = settings.service_base_url or f"http://127.0.0.1:{settings.port}"
    policy = Policy(
        requirements=requirements,
        disabled_host_validations=frozenset(settings.disabled_host_validations),
        disabled_cluster_validations=frozenset(settings.disabled_cluster_validations),
        disabled_steps=frozenset(settings.disabled_steps),
        agent_image=settings.agent_image,
        installer_image=settings.installer_image,
        controller_image=settings.controller_image,
        image_service_url=settings.image_service_base_url or base,
        check_cluster_version=settings.check_cluster_version,
        ntp_default=settings.ntp_default,
        disconnection=duration("HOST_MAX_DISCONNECTION_TIME", settings.disconnection),
    )
    return policy.but(public_registries=frozenset(settings.public_registries)) if settings.public_registries else policy
