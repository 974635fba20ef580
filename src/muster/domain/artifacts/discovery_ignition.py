"""Turns an infra-env into the Ignition config of its discovery image: all that makes a machine ours once it starts.

`FILES` and `UNITS` say what is in it and when; the user's own config is laid over that. The API hands it out, and
`accepts/infra_envs.py` sees to it that it fits into the image.
"""

import json
from collections.abc import Callable, Iterator
from datetime import timedelta

from muster.domain.errors import Refused
from muster.domain.infra_envs import ImageType, InfraEnv
from muster.domain.inputs.fields import Problems
from muster.domain.networks import Proxy
from muster.domain.policy import Policy
from muster.domain.record import Record

from . import discovery_texts as texts
from .cpio import archive, padded, regular
from .ignition import EXECUTABLE, OLDEST, PRIVATE, READABLE, Config, config, encoded, file, merged, unit
from .minimal_initrd import LARGEST as LARGEST_INITRD
from .minimal_initrd import minimal_initrd
from .network_scripts import COMMON, COMMON_PATH, IN_SYSTEM, SCRIPT, SCRIPT_PATH
from .network_scripts import UNIT as NETWORK_UNIT
from .static_network import network_files
from .units import environment, variable

LARGEST = 262_144
"""Bytes that an image has room for, when the config is compressed."""

START = timedelta(minutes=10)
"""How long an agent may take to be fetched and started."""


class Discovery(Record):
    """What a discovery config is made from: `kind` may be another than the infra-env's own."""

    infra_env: InfraEnv
    policy: Policy
    kind: ImageType
    token: str = ""
    """With which agents show who they are; "" where nobody asks."""

    @property
    def configures_network(self) -> bool:
        """The system itself applies the users' network settings; otherwise they are applied before it is there."""
        return self.kind is ImageType.FULL and bool(self.infra_env.static_network_config)


def discovery_of(infra_env: InfraEnv, policy: Policy, kind: ImageType | None = None) -> Discovery:
    """What the config of an infra-env is made from, for its own kind of image unless another is asked for."""
    return Discovery(infra_env=infra_env, policy=policy, kind=kind or infra_env.type)


def discovery_ignition(asked: Discovery) -> bytes:
    """The config as the file it is sent as. `Refused` for an image that installs without this service."""
    if asked.infra_env.type is ImageType.DISCONNECTED:
        raise Refused(
            f"Infra-env {asked.infra_env.name} makes images that install without this service; "
            "their configuration is not made here"
        )
    base = config(_files(asked), _units(asked), _users(asked.infra_env), OLDEST)
    base["ignition"] |= _proxy(asked.infra_env.proxy)
    override = asked.infra_env.ignition_config_override
    return encoded(merged(base, json.loads(override) if override else {}))


def room_problems(infra_env: InfraEnv, policy: Policy) -> Problems:
    """The image has room for all that is to be put into it."""
    if infra_env.type is ImageType.DISCONNECTED:
        return
    taken = _archived(discovery_ignition(discovery_of(infra_env, policy)).decode())
    if taken > LARGEST:
        yield (
            f"The configuration of the discovery image takes {taken} bytes when compressed, and there is room for "
            f"{LARGEST}; shorten ignition_config_override, static_network_config or additional_trust_bundle"
        )
    laid_over = len(minimal_initrd(infra_env) or b"") if infra_env.type is ImageType.MINIMAL else 0
    if laid_over > LARGEST_INITRD:
        yield (
            f"static_network_config: takes {laid_over} bytes when compressed, and a minimal-iso has room for "
            f"{LARGEST_INITRD}; use several infra-envs, each for some of the hosts"
        )


def _archived(content: str) -> int:
    """How many bytes a config takes in the image; what is small enough as it is need not be compressed to know."""
    return len(padded(archive([regular("config.ign", content, READABLE)]))) if len(content) > LARGEST // 2 else 0


# Who may log in, and how the world outside is reached


def _users(infra_env: InfraEnv) -> list[Config]:
    keys = [line.strip() for line in infra_env.ssh_authorized_key.splitlines() if line.strip()]
    return [{"name": "core", "passwordHash": "!", "groups": ["sudo"], "sshAuthorizedKeys": keys}] if keys else []


def _proxy(proxy: Proxy) -> Config:
    if not proxy.http_proxy and not proxy.https_proxy:
        return {}
    values = {"httpProxy": proxy.http_proxy, "httpsProxy": proxy.https_proxy}
    without = [each.strip() for each in proxy.no_proxy.split(",") if each.strip()]
    return {
        "proxy": {name: value for name, value in values.items() if value} | ({"noProxy": without} if without else {})
    }


def _proxy_profile(asked: Discovery) -> str:
    proxy = asked.infra_env.proxy
    values = {"HTTP_PROXY": proxy.http_proxy, "HTTPS_PROXY": proxy.https_proxy, "NO_PROXY": proxy.no_proxy}
    pairs = [(spelled, value) for name, value in values.items() for spelled in (name, name.lower())]
    return "".join(f"export {name}={_quoted(value)}\n" for name, value in pairs)


def _quoted(value: str) -> str:
    """A value that a shell takes as it is."""
    return "'" + value.replace("'", "'\\''") + "'"


# The agent


def _agent(asked: Discovery) -> str:
    policy, image = asked.policy, asked.policy.agent_image
    token = variable("PULL_SECRET_TOKEN", asked.token) if asked.token else ""
    return f"""\
[Unit]
Description=Discover this machine and install it as the service says
Wants=network-online.target
After=network-online.target
StartLimitIntervalSec=0

[Service]
Type=simple
Restart=always
RestartSec=3
{environment(asked.infra_env.proxy)}{token}TimeoutStartSec={int(START.total_seconds())}
ExecStartPre=/usr/local/bin/agent-fix-bz1964591 {image}
ExecStartPre=/usr/local/bin/agent-pull-image {image}
ExecStartPre=/usr/bin/podman run --privileged --rm -v /usr/local/bin:/hostbin {image} cp /usr/bin/agent /hostbin
ExecStart=/usr/local/bin/agent --url {policy.service_url} --infra-env-id {asked.infra_env.id} \
--agent-version {image} --insecure=false

[Install]
WantedBy=multi-user.target
"""


# Time


def _has_ntp(asked: Discovery) -> bool:
    return bool(asked.infra_env.ntp_sources or asked.infra_env.additional_ntp_sources)


def _ntp_script(asked: Discovery) -> str:
    """Sources besides those that the system has, or instead of them."""
    infra_env = asked.infra_env
    listed = infra_env.ntp_sources or infra_env.additional_ntp_sources
    servers = "".join(f"server {each.strip()} iburst\n" for each in listed.split(",") if each.strip())
    if infra_env.ntp_sources:
        return f"#!/usr/bin/env bash\ncat >/etc/chrony.conf <<'END'\n{servers}{texts.CHRONY}END\n"
    step = "sed -i 's/^makestep .*/makestep 1.0 -1/' /etc/chrony.conf"
    return f"#!/usr/bin/env bash\n{step}\ncat >>/etc/chrony.conf <<'END'\n\n{servers}END\n"


# The tables


class FileRow(Record):
    """A file, and when it is there."""

    path: str
    content: Callable[[Discovery], str]
    mode: int = READABLE
    when: Callable[[Discovery], bool] = lambda _: True


class UnitRow(Record):
    """A unit that is started, and when it is there; one of the system's own has no contents."""

    name: str
    contents: Callable[[Discovery], str] = lambda _: ""
    when: Callable[[Discovery], bool] = lambda _: True


def _always(text: str) -> Callable[[Discovery], str]:
    return lambda _: text


FILES = (
    FileRow(path="/usr/local/bin/agent-fix-bz1964591", content=_always(texts.REMOVE_BROKEN_IMAGE), mode=EXECUTABLE),
    FileRow(path="/usr/local/bin/agent-pull-image", content=_always(texts.PULL_IMAGE), mode=EXECUTABLE),
    FileRow(path="/etc/motd", content=_always(texts.MOTD)),
    FileRow(path="/etc/NetworkManager/conf.d/01-ipv6.conf", content=_always(texts.IPV6)),
    FileRow(path="/root/.docker/config.json", content=lambda asked: asked.infra_env.pull_secret, mode=PRIVATE),
    FileRow(path="/root/assisted.te", content=_always(texts.SELINUX_MODULE)),
    FileRow(path="/etc/multipath.conf", content=_always(texts.MULTIPATH)),
    FileRow(
        path="/etc/pki/ca-trust/source/anchors/assisted-infraenv-additional-trust-bundle.pem",
        content=lambda asked: asked.infra_env.additional_trust_bundle,
        when=lambda asked: bool(asked.infra_env.additional_trust_bundle),
    ),
    FileRow(
        path="/etc/profile.d/proxy.sh", content=_proxy_profile, when=lambda asked: asked.infra_env.proxy != Proxy()
    ),
    FileRow(path="/usr/local/bin/add-ntp-sources.sh", content=_ntp_script, mode=EXECUTABLE, when=_has_ntp),
    FileRow(path=SCRIPT_PATH, content=_always(SCRIPT), mode=EXECUTABLE, when=lambda asked: asked.configures_network),
    FileRow(path=COMMON_PATH, content=_always(COMMON), mode=EXECUTABLE, when=lambda asked: asked.configures_network),
)
"""What lies on a machine that runs the discovery image, besides the network settings of all hosts."""

UNITS = (
    UnitRow(name="agent.service", contents=_agent),
    UnitRow(name="selinux.service", contents=_always(texts.SELINUX)),
    UnitRow(name="multipathd.service"),
    UnitRow(name="iscsistart.service", contents=_always(texts.ISCSI)),
    UnitRow(name=NETWORK_UNIT, contents=_always(IN_SYSTEM), when=lambda asked: asked.configures_network),
    UnitRow(name="add-ntp-sources.service", contents=_always(texts.NTP_UNIT), when=_has_ntp),
)
"""What runs on it."""


def _files(asked: Discovery) -> Iterator[Config]:
    yield from (file(row.path, row.content(asked), row.mode) for row in FILES if row.when(asked))
    if asked.configures_network:
        yield from (file(path, text, PRIVATE) for path, text in network_files(asked.infra_env).items())


def _units(asked: Discovery) -> Iterator[Config]:
    yield from (unit(row.name, row.contents(asked)) for row in UNITS if row.when(asked))
