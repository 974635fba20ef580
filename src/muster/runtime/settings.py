"""Every setting of the service: one field each, from the environment or the command line.

`cli.serve` reads them once; `wiring` turns them into the policy that decisions depend on. A field that is named like
one of `Policy` goes there as it is.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, get_origin

import msgspec

from muster.domain.errors import Invalid
from muster.domain.inputs.requirements import Entry, read_requirements
from muster.domain.operators.settings import OperatorSettings
from muster.domain.policy import LogLimits, Policy, with_time_to_prepare
from muster.domain.progress import FINALIZING_LIMITS, STAGE_LIMITS, FinalizingStage, Stage
from muster.domain.record import Record
from muster.domain.releases import OsImage, Release
from muster.domain.steps import STEPS
from muster.domain.validations.catalogue import CLUSTER_VALIDATIONS, HOST_VALIDATIONS

SHIPPED = Policy()
GROUP = "group of "
"""How the name of a field begins that holds many settings, each under its own name."""

Bytes = Annotated[int, msgspec.Meta(ge=0)]
Words = frozenset[str]


def _env(name: str, default: Any) -> Any:
    """A field that the environment may set under `name`."""
    return msgspec.field(name=name, default=default)


class Settings(Record):
    """How this process runs. The names in capitals are those of the environment."""

    # The process.
    host: str = _env("MUSTER_HOST", "0.0.0.0")  # noqa: S104 - agents come from everywhere
    port: int = _env("MUSTER_PORT", 8090)
    data: str = _env("MUSTER_DATA", "data")
    database: str = _env("MUSTER_DATABASE", "")
    storage: str = _env("MUSTER_STORAGE", "")
    log_level: str = _env("LOG_LEVEL", "info")
    auth_type: str = _env("AUTH_TYPE", "none")
    service_base_url: str = _env("SERVICE_BASE_URL", "")
    image_service_base_url: str = _env("IMAGE_SERVICE_BASE_URL", "")
    kube_api: bool = _env("ENABLE_KUBE_API", SHIPPED.kube_api)

    # What is installed.
    release_images: tuple[Release, ...] = _env("RELEASE_IMAGES", ())
    os_images: tuple[OsImage, ...] = _env("OS_IMAGES", ())
    agent_image: str = _env("AGENT_DOCKER_IMAGE", SHIPPED.agent_image)
    installer_image: str = _env("INSTALLER_IMAGE", SHIPPED.installer_image)
    controller_image: str = _env("CONTROLLER_IMAGE", SHIPPED.controller_image)
    must_gather_images: dict[str, dict[str, str]] = _env("MUST_GATHER_IMAGES", {})
    public_registries: Words = _env("PUBLIC_CONTAINER_REGISTRIES", SHIPPED.public_registries)
    ntp_default: str = _env("NTP_DEFAULT_SERVER", "")
    check_cluster_version: bool = _env("CHECK_CLUSTER_VERSION", SHIPPED.check_cluster_version)
    single_node_dnsmasq: bool = _env("ENABLE_SINGLE_NODE_DNSMASQ", SHIPPED.single_node_dnsmasq)
    skip_mco_reboot: bool = _env("ENABLE_SKIP_MCO_REBOOT", SHIPPED.skip_mco_reboot)

    # What may be asked for.
    arbiters: bool = _env("TNA_CLUSTERS_SUPPORT", SHIPPED.arbiters)
    fencing: bool = _env("TNF_CLUSTERS_SUPPORT", SHIPPED.fencing)
    ipv6: bool = _env("IPV6_SUPPORT", SHIPPED.ipv6)
    disk_encryption: bool = _env("DISK_ENCRYPTION_SUPPORT", SHIPPED.disk_encryption)

    # How hosts are judged.
    hardware: tuple[Entry, ...] = _env("HW_VALIDATOR_REQUIREMENTS", ())
    edge_products: Words = _env("EDGE_WORKERS_PRODUCT_NAMES", SHIPPED.edge_products)
    disabled_host_validations: Words = _env("DISABLED_HOST_VALIDATIONS", frozenset())
    disabled_cluster_validations: Words = _env("DISABLED_CLUSTER_VALIDATIONS", frozenset())
    auto_assign: bool = _env("ENABLE_AUTO_ASSIGN", SHIPPED.auto_assign)
    bootstrap_mac: str = _env("BOOTSTRAP_HOST_MAC", "")
    operators: OperatorSettings = _env(f"{GROUP}operators", SHIPPED.operators)

    # What agents are told.
    disabled_steps: Words = _env("DISABLED_STEPS", frozenset())
    upgrade_agents: bool = _env("ENABLE_UPGRADE_AGENT", SHIPPED.upgrade_agents)
    virtual_interfaces: bool = _env("ENABLE_VIRTUAL_INTERFACES", SHIPPED.virtual_interfaces)
    inventory_max_size: Bytes = _env("AGENT_INVENTORY_MAX_SIZE", SHIPPED.inventory_max_size)
    inventory_disk_min_size: Bytes = _env("AGENT_INVENTORY_DISK_MIN_SIZE", SHIPPED.inventory_disk_min_size)

    # How long things may take.
    soft_timeouts: bool = _env("ENABLE_SOFT_TIMEOUTS", SHIPPED.soft_timeouts)
    disconnection: timedelta = _env("HOST_MAX_DISCONNECTION_TIME", SHIPPED.disconnection)
    disk_check: timedelta = _env("DISK_CHECK_TIMEOUT", SHIPPED.disk_check)
    image_availability: timedelta = _env("IMAGE_AVAILABILITY_TIMEOUT", SHIPPED.image_availability)
    cluster_preparation: timedelta = _env("PREPARE_FOR_INSTALLATION_TIMEOUT", timedelta(minutes=10))
    host_preparation: timedelta = _env("PREPARE_FOR_INSTALLATION_HOST_TIMEOUT", timedelta(minutes=8))
    installation: timedelta = _env("INSTALLATION_TIMEOUT", SHIPPED.installation)
    finalizing: timedelta = _env("FINALIZING_TIMEOUT", SHIPPED.finalizing)
    host_user_action: timedelta = _env("HOST_INSTALLING_PENDING_USER_ACTION_TIMEOUT", SHIPPED.host_user_action)
    identity_memory: timedelta = _env("MUSTER_IDENTITY_MEMORY", SHIPPED.identity_memory)
    resetting: timedelta = _env("RESET_CLUSTER_TIMEOUT", SHIPPED.resetting)
    cluster_logs_pending: timedelta = _env("LOG_PENDING_TIMEOUT", SHIPPED.cluster_logs.first)
    cluster_logs_collection: timedelta = _env("LOG_COLLECTION_TIMEOUT", SHIPPED.cluster_logs.upload)
    host_logs_pending: timedelta = _env("HOST_LOG_PENDING_TIMEOUT", SHIPPED.host_logs.first)
    host_logs_collection: timedelta = _env("HOST_LOG_COLLECTION_TIMEOUT", SHIPPED.host_logs.upload)
    stage_limits: dict[Stage, timedelta] = _env("HOST_STAGE_<STAGE>_TIMEOUT", {})
    finalizing_limits: dict[FinalizingStage, timedelta] = _env("FINALIZING_STAGE_<STAGE>_TIMEOUT", {})

    @property
    def database_url(self) -> str:
        """Where the records are kept: a file in the data folder unless said otherwise."""
        return self.database or f"sqlite:///{Path(self.data).absolute() / 'muster.db'}"

    @property
    def storage_url(self) -> str:
        """Where the files are kept: a folder in the data folder unless said otherwise."""
        return self.storage or str(Path(self.data).absolute() / "files")


# Families: settings of which there is one for each stage


FAMILIES: dict[str, Mapping[Any, timedelta]] = {
    "HOST_STAGE_<STAGE>_TIMEOUT": STAGE_LIMITS,
    "FINALIZING_STAGE_<STAGE>_TIMEOUT": FINALIZING_LIMITS,
}
"""Settings that stand for many, and the stages they are for with what counts where nothing is set."""


def members(family: str) -> dict[str, StrEnum]:
    """The settings that a family stands for, by name, and the stage each is for."""
    return {family.replace("<STAGE>", stage.upper().replace(" ", "_")): stage for stage in FAMILIES[family]}


# From text to values

UNITS = {
    "h": timedelta(hours=1),
    "m": timedelta(minutes=1),
    "s": timedelta(seconds=1),
    "ms": timedelta(milliseconds=1),
}
TIME = "a time such as 90s, 3m or 1h30m"


def duration(name: str, text: str) -> timedelta:
    """A time such as `90s`, `3m` or `1h30m`; none at all is refused, since everything would be late at once."""
    if not re.fullmatch(r"(\d+(\.\d+)?(h|ms|m|s))+", text):
        raise Invalid(f"{name} is {text!r}; write {TIME}")
    found = re.findall(r"(\d+(?:\.\d+)?)(h|ms|m|s)", text)
    try:
        time = sum((float(number) * UNITS[unit] for number, unit in found), timedelta())
    except OverflowError as error:
        raise Invalid(f"{name} is {text!r}, which is longer than any time; write {TIME}") from error
    if not time:
        raise Invalid(f"{name} is {text!r}; it must be longer than nothing: write {TIME}")
    return time


def _words(_: str, text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _document(name: str, text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise Invalid(f"{name} is not JSON: {error}") from error


class Form(Record):
    """How a setting is written."""

    words: str
    """For a sentence that begins with "write"."""
    read: Callable[[str, str], Any] = lambda _, text: text
    """From its name and its text to what `Settings` takes."""


TEXT = Form(words="text")
DOCUMENT = Form(words="JSON", read=_document)
FORMS: dict[Any, Form] = {
    bool: Form(words="true or false"),
    int: Form(words="a number"),
    Bytes: Form(words="a number of bytes, 0 for any"),
    timedelta: Form(words=TIME, read=duration),
    Words: Form(words="words, separated by commas", read=_words),
}


def form(kind: Any) -> Form:
    """How a setting of a type is written."""
    return FORMS.get(kind, DOCUMENT if get_origin(kind) in (tuple, dict) else TEXT)


def read_settings(environment: Mapping[str, str] = os.environ, **given: Any) -> Settings:
    """The settings from the environment; what is given by name wins. Raises `Invalid` naming what is wrong."""
    values = _values(Settings, environment)
    names = {field.name: field.encode_name for field in msgspec.structs.fields(Settings)}
    values |= {names[name]: value for name, value in given.items() if value is not None}
    try:
        settings = msgspec.convert(values, Settings, strict=False)
    except msgspec.ValidationError as error:
        raise Invalid(_named(error)) from error
    return _checked(settings)


def _values(settings: type[Record], environment: Mapping[str, str]) -> dict[str, Any]:
    """What the environment says of each field, ready to be converted."""
    values: dict[str, Any] = {}
    for field in msgspec.structs.fields(settings):
        name = field.encode_name
        if name in FAMILIES:
            values[name] = _family(name, environment)
        elif name.startswith(GROUP):
            values[name] = _values(field.type, environment)
        elif text := environment.get(name, ""):
            values[name] = form(field.type).read(name, text)
    return values


def _named(error: msgspec.ValidationError) -> str:
    """What does not fit a field, by the name of the setting."""
    said, _, path = str(error).partition(" - at `$.")
    name = re.sub(f"^{GROUP}[a-z]+\\.", "", path.rstrip("`"))
    written = next((form(field.type) for field in every_setting() if field.encode_name == name), TEXT)
    hint = f"; write {written.words}" if written is not TEXT else ""
    return f"{name} is not right: {said}{hint}"


def every_setting(settings: type[Record] = Settings) -> Iterator[msgspec.structs.FieldInfo]:
    """The fields of all settings, those in groups too, in order."""
    for field in msgspec.structs.fields(settings):
        if field.encode_name.startswith(GROUP):
            yield from every_setting(field.type)
        else:
            yield field


def _family(family: str, environment: Mapping[str, str]) -> dict[StrEnum, timedelta]:
    return {
        stage: duration(name, text) for name, stage in members(family).items() if (text := environment.get(name, ""))
    }


# What no type can say


def _checked(settings: Settings) -> Settings:
    known = (
        ("DISABLED_HOST_VALIDATIONS", settings.disabled_host_validations, HOST_VALIDATIONS),
        ("DISABLED_CLUSTER_VALIDATIONS", settings.disabled_cluster_validations, CLUSTER_VALIDATIONS),
    )
    for name, given, validations in known:
        unknown = sorted(given - {each.id for each in validations})
        if unknown:
            raise Invalid(f"{name} names {unknown[0]!r}, which is no check; see docs/validations.md for their names")
    if not 0 < settings.port < 65536:  # noqa: PLR2004 - ports are what they are
        raise Invalid(f"MUSTER_PORT (--port) is {settings.port}; a port is a number from 1 to 65535")
    if settings.auth_type != "none":
        raise Invalid(f"AUTH_TYPE is {settings.auth_type!r}; only 'none' is supported so far")
    if not settings.database_url.startswith(("sqlite://", "postgresql://", "postgres://")):
        raise Invalid("MUSTER_DATABASE (--database) must begin with sqlite:// or postgresql://")
    return settings


def doubts(settings: Settings, environment: Mapping[str, str] = os.environ) -> Iterator[str]:
    """What has no effect although somebody has set it, a sentence each."""
    for step in sorted(settings.disabled_steps - STEPS.keys()):
        yield f"DISABLED_STEPS names {step!r}, which is no step; it is ignored. Steps are {', '.join(sorted(STEPS))}"
    for family in FAMILIES:
        begin, _, end = family.partition("<STAGE>")
        for name in sorted(environment.keys() - members(family).keys()):
            if name.startswith(begin) and name.endswith(end):
                yield f"{name} is ignored: no stage of that name has a limit. See docs/settings.md for those that have"


SAME = frozenset(Settings.__struct_fields__) & frozenset(Policy.__struct_fields__)
"""What decisions take from the settings as it is."""


def policy_from(settings: Settings) -> Policy:
    """What decisions need of the settings. Raises `Invalid` naming what is wrong."""
    same = {name: getattr(settings, name) for name in SAME}
    policy = Policy(
        **same,
        requirements=read_requirements(settings.hardware),
        image_service_url=settings.image_service_base_url
        or settings.service_base_url
        or f"http://127.0.0.1:{settings.port}",
        host_logs=LogLimits(
            first=settings.host_logs_pending, upload=settings.host_logs_collection, more=settings.host_logs_pending
        ),
        cluster_logs=LogLimits(
            first=settings.cluster_logs_pending,
            upload=settings.cluster_logs_collection,
            more=settings.cluster_logs_collection,
        ),
    )
    return with_time_to_prepare(policy)
