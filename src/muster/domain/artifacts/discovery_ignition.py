"""Turns an infra-env into the Ignition config of its discovery image: all that makes a machine ours once it starts.

`FILES` and `UNITS` say what is in it and when; the user's own config is laid over that. The API hands it out, and
`accepts/infra_envs.py` sees to it that it fits into the image.
"""

import json
from collections.abc import Callable, Iterator
from functools import reduce
from shlex import quote

from muster.domain.errors import Refused
from muster.domain.infra_envs import ImageType, InfraEnv
from muster.domain.inputs.fields import Problems
from muster.domain.networks import Proxy
from muster.domain.policy import Policy
from muster.domain.record import Record
from muster.domain.trust import Mirrors

from . import banner, okd
from . import discovery_texts as texts
from .embedding import ROOM, packed, surely_fits
from .ignition import EXECUTABLE, OLDEST, PRIVATE, READABLE, Config, config, encoded, file, merged, unit
from .kernel_arguments import kernel_room_problems
from .minimal_initrd import minimal_initrd
from .network_scripts import COMMON, COMMON_PATH, SCRIPT, SCRIPT_PATH, in_system
from .network_scripts import UNIT as NETWORK_UNIT
from .static_network import applies_policies, network_files
from .units import environment, variable

TOKEN = 256
"""Bytes that are left for what agents show who they are with, which is made when the image is."""

SERVICE_CA = "/etc/assisted-service/service-ca-cert.crt"
ORACLE = "/usr/local/bin/oci-eval-user-data.sh"
ANCHORS = "/etc/pki/ca-trust/source/anchors"


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

    @property
    def okd(self) -> bool:
        """The machines are for OKD, whose system lacks some parts."""
        return self.policy.discovery.okd and bool(self.policy.discovery.okd_rpms_image)

    @property
    def mirrors(self) -> Mirrors:
        """Where images are fetched from: the infra-env's own mirrors, or those of all."""
        own = self.infra_env.mirrors
        return own if own.registries else self.policy.trust.mirrors


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
    overrides = (asked.infra_env.internal_ignition_config_override, asked.infra_env.ignition_config_override)
    return encoded(reduce(merged, (json.loads(each) for each in overrides if each), base))


def room_problems(infra_env: InfraEnv, policy: Policy) -> Problems:
    """The image has room for all that is to be put into it."""
    yield from kernel_room_problems(infra_env, policy)
    if infra_env.type is ImageType.DISCONNECTED:
        return
    config = discovery_ignition(discovery_of(infra_env, policy))
    extra = (minimal_initrd(infra_env) or b"") if infra_env.type is ImageType.MINIMAL else b""
    if surely_fits(config, extra):
        return
    taken = len(packed(config, extra, ROOM - TOKEN))
    if taken > ROOM - TOKEN:
        of_network = f" ({len(extra)} of them for the network before the system is there)" if extra else ""
        yield (
            f"The configuration of the discovery image takes {taken} bytes when compressed{of_network}, and there is "
            f"room for {ROOM - TOKEN}; shorten ignition_config_override or additional_trust_bundle, or use several "
            "infra-envs, each with the static_network_config of some of the hosts"
        )


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
    return "".join(f"export {name}={quote(value)}\n" for name, value in pairs)


# The agent


def _agent(asked: Discovery) -> str:
    policy, image, settings = asked.policy, asked.policy.agent_image, asked.policy.discovery
    trusted = f" --cacert {SERVICE_CA}" if policy.trust.service_ca else ""
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
{environment(asked.infra_env.proxy)}{token}TimeoutStartSec={settings.agent_start.total_seconds():.0f}
ExecStartPre=/usr/local/bin/agent-fix-bz1964591 {image}
ExecStartPre=/usr/local/bin/agent-pull-image {image}
ExecStartPre=/usr/bin/podman run --privileged --rm -v /usr/local/bin:/hostbin {image} cp /usr/bin/agent /hostbin
ExecStart=/usr/local/bin/agent --url {policy.service_url} --infra-env-id {asked.infra_env.id} \
--agent-version {image} --insecure={str(settings.skip_cert_verification).lower()}{trusted}

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
    enabled: Callable[[Discovery], bool] = lambda _: True


def _always(text: str) -> Callable[[Discovery], str]:
    return lambda _: text


def _okd(asked: Discovery) -> bool:
    return asked.okd


def _not_okd(asked: Discovery) -> bool:
    return not asked.okd


FILES = (
    FileRow(path="/usr/local/bin/agent-fix-bz1964591", content=_always(texts.REMOVE_BROKEN_IMAGE), mode=EXECUTABLE),
    FileRow(path="/usr/local/bin/agent-pull-image", content=_always(texts.PULL_IMAGE), mode=EXECUTABLE),
    FileRow(path="/etc/motd", content=_always(texts.MOTD)),
    FileRow(path="/etc/NetworkManager/conf.d/01-ipv6.conf", content=_always(texts.IPV6)),
    FileRow(path="/root/.docker/config.json", content=lambda asked: asked.infra_env.pull_secret, mode=PRIVATE),
    FileRow(path="/root/assisted.te", content=_always(texts.SELINUX_MODULE)),
    FileRow(path=banner.SCRIPT_PATH, content=lambda asked: banner.script(asked.policy.service_url), mode=EXECUTABLE),
    FileRow(path="/etc/multipath.conf", content=_always(texts.MULTIPATH), when=_not_okd),
    FileRow(path=ORACLE, content=_always(texts.ORACLE_SCRIPT), mode=EXECUTABLE, when=_not_okd),
    FileRow(
        path=okd.SCRIPT_PATH,
        content=lambda asked: okd.script(asked.policy.discovery.okd_rpms_image),
        mode=EXECUTABLE,
        when=_okd,
    ),
    FileRow(path=okd.PIVOT_PATH, content=_always(okd.NEVER), when=_okd),
    FileRow(path=okd.AGENT_PATH, content=_always(okd.AGENT_WAITS), when=_okd),
    FileRow(
        path=f"{ANCHORS}/rh-it-root-ca.crt",
        content=lambda asked: asked.policy.trust.vendor_ca,
        when=lambda asked: bool(asked.policy.trust.vendor_ca),
    ),
    FileRow(
        path=SERVICE_CA,
        content=lambda asked: asked.policy.trust.service_ca,
        when=lambda asked: bool(asked.policy.trust.service_ca),
    ),
    FileRow(
        path="/etc/containers/registries.conf",
        content=lambda asked: asked.mirrors.registries,
        when=lambda asked: bool(asked.mirrors.registries),
    ),
    FileRow(
        path=f"{ANCHORS}/domain.crt",
        content=lambda asked: asked.mirrors.ca,
        when=lambda asked: bool(asked.mirrors.registries and asked.mirrors.ca),
    ),
    FileRow(
        path="/etc/containers/policy.json",
        content=_always(texts.UNSIGNED_IMAGES),
        when=lambda asked: bool(asked.mirrors.registries) and asked.policy.discovery.insecure_policy,
    ),
    FileRow(
        path=f"{ANCHORS}/assisted-infraenv-additional-trust-bundle.pem",
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
    UnitRow(
        name="agent.service",
        contents=_agent,
        # What is laid over from within starts the agent itself, when it is time.
        enabled=lambda asked: not asked.infra_env.internal_ignition_config_override,
    ),
    UnitRow(name="selinux.service", contents=_always(texts.SELINUX)),
    UnitRow(name=banner.UNIT, contents=_always(banner.SERVICE)),
    UnitRow(name="multipathd.service", when=_not_okd),
    UnitRow(name="iscsistart.service", contents=_always(texts.ISCSI), when=_not_okd),
    UnitRow(name="oci-eval-user-data.service", contents=_always(texts.ORACLE_UNIT), when=_not_okd),
    UnitRow(name=okd.UNIT, contents=_always(okd.SERVICE), when=_okd),
    UnitRow(name="systemd-journal-gatewayd.socket", contents=_always(okd.JOURNAL_SOCKET), when=_okd),
    UnitRow(
        name=NETWORK_UNIT,
        contents=lambda asked: in_system(policies=applies_policies(asked.infra_env, asked.policy)),
        when=lambda asked: asked.configures_network,
    ),
    UnitRow(name="add-ntp-sources.service", contents=_always(texts.NTP_UNIT), when=_has_ntp),
)
"""What runs on it."""


def _files(asked: Discovery) -> Iterator[Config]:
    yield from (file(row.path, row.content(asked), row.mode) for row in FILES if row.when(asked))
    if asked.configures_network:
        yield from (file(path, text, PRIVATE) for path, text in network_files(asked.infra_env, asked.policy).items())


def _units(asked: Discovery) -> Iterator[Config]:
    yield from (unit(row.name, row.contents(asked), enabled=row.enabled(asked)) for row in UNITS if row.when(asked))
