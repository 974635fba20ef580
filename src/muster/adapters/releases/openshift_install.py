"""The installer of a real release, run for an order: what it writes becomes what the hosts install from.

Fulfils the part `assets` of `ports.Releases` for releases that are not the lab's. It runs twice, in a folder of its
own: first it makes manifests, over which those of service and user are laid; of these it makes configs. What is secret
is in files that only we can read, and neither in the words of a command nor in the log.
"""

import asyncio
import json
import os
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import timedelta
from fnmatch import fnmatch
from functools import partial
from pathlib import Path

import structlog

from muster.adapters.machine.commands import Ended, run
from muster.adapters.registry.steady import in_thread
from muster.domain.artifacts.assets import Assets, Order
from muster.domain.artifacts.ignition import Config
from muster.domain.artifacts.ignition import config as ignition_config
from muster.domain.clusters import PlatformType
from muster.domain.errors import Broken, Unavailable
from muster.domain.manifests import Folder
from muster.domain.record import Record
from muster.domain.roles import Role
from muster.ports import Tell
from muster.wire.assets import read_assets, read_config

from .complaints import secrets_of, useful
from .custom_manifests import Content, customised
from .oc import PASSED_ON
from .scratch import scratch, tidy, write_private

NAME = "openshift-install"
MANIFESTS = ("create", "manifests")
CONFIGS = ("create", "ignition-configs")
SINGLE_NODE = ("create", "single-node-ignition-config")
IN_PLACE = "bootstrap-in-place-for-live-iso.ign"

MADE_BY_OTHERS = (
    "*_openshift-cluster-api_master-machines-*.yaml",
    "*_openshift-cluster-api_worker-machineset-*.yaml",
    "*_openshift-machine-api_master-control-plane-machine-set*.yaml",
)
"""Manifests by which a cluster would make machines of its own, where they are on a platform that can."""

WITH_MACHINES = {PlatformType.VSPHERE, PlatformType.NUTANIX}

log = structlog.get_logger()

Binary = Callable[[str, str], AbstractAsyncContextManager[Path]]
"""Lends the installer of a release to whoever has a pull secret for it."""


class Running(Record):
    """How the installer is run."""

    folder: Path
    """Where it has its scratch folders."""
    invoker: str = "assisted-installer"
    """Who the new cluster says has installed it."""
    patience: timedelta = timedelta(minutes=10)
    """How long each run may take."""
    certificates: str = ""
    """A folder with authorities that the cluster is to have in place of new ones; "" for new ones."""


class OpenshiftInstall:
    """Installers of releases, a few at a time."""

    def __init__(self, binary: Binary, running: Running, turns: asyncio.Semaphore) -> None:
        self._binary = binary
        self._running = running
        self._turns = turns

    def tidy(self) -> None:
        """Remove what was left behind by those who were killed."""
        for name in tidy(self._running.folder):
            log.info("a scratch folder was left behind and is removed", folder=name)

    async def assets(self, order: Order, tell: Tell) -> Assets:
        """What the installer makes of an order.

        `Invalid` or `Broken` with its reason if it does not, `Unavailable` if the installer cannot be had just now.
        """
        config = json.dumps(order.install_config, indent=2).encode()
        cluster = order.cluster
        await tell(f"{NAME} of OpenShift {cluster.openshift_version} is taken from {cluster.ocp_release_image}")
        async with self._binary(cluster.ocp_release_image, cluster.pull_secret) as program, self._turn(tell):
            with scratch(self._running.folder, cluster.id) as folder:
                run = partial(self._run, program, folder, order, tell)
                await in_thread(self._lay_out, folder, config)
                await run(MANIFESTS)
                await in_thread(_lay_over, folder, order)
                await run(SINGLE_NODE if cluster.single_node else CONFIGS)
                return await in_thread(_gathered, folder, order)

    @asynccontextmanager
    async def _turn(self, tell: Tell) -> AsyncIterator[None]:
        """Leave to run an installer, as soon as there are not too many at it."""
        if self._turns.locked():
            await tell(f"{NAME} waits until fewer run at once; MUSTER_INSTALLERS_AT_ONCE says how many may")
        async with self._turns:
            yield

    def _lay_out(self, folder: Path, config: bytes) -> None:
        write_private(folder / "install-config.yaml", config)
        if self._running.certificates:
            shutil.copytree(self._running.certificates, folder / "tls")

    async def _run(self, program: Path, folder: Path, order: Order, tell: Tell, words: tuple[str, ...]) -> None:
        what = f"{NAME} {' '.join(words)}"
        await tell(f"{what} runs")
        log.info("the installer runs", cluster=order.cluster.id, command=what)
        ended = await self._ended(what, (str(program), *words, "--dir", str(folder)), folder, order)
        if ended.code:
            said = useful(ended.complaint or ended.output, secrets_of(order))
            raise Broken(f"{what} ended with {ended.code} and said: {said or 'nothing'}")

    async def _ended(self, what: str, words: tuple[str, ...], folder: Path, order: Order) -> Ended:
        try:
            return await run(words, env=self._environment(folder, order), patience=self._running.patience, cwd=folder)
        except Unavailable as error:
            if isinstance(error.__cause__, TimeoutError):
                seconds = self._running.patience.total_seconds()
                raise Broken(
                    f"{what} has not ended after {seconds:.0f} seconds and was stopped; look whether the service's"
                    " machine is short of processors or memory, or set MUSTER_INSTALLER_TIMEOUT higher"
                ) from error
            raise Broken(f"{what}: {NAME} of {order.cluster.ocp_release_image} cannot be run here") from error

    def _environment(self, folder: Path, order: Order) -> dict[str, str]:
        """What it is told besides its files; its home is the folder, where it finds nothing of others."""
        told = {name: os.environ[name] for name in PASSED_ON if name in os.environ} | {
            "HOME": str(folder),
            "TMPDIR": str(folder),
            "OPENSHIFT_INSTALL_RELEASE_IMAGE_OVERRIDE": order.cluster.ocp_release_image,
            "OPENSHIFT_INSTALL_INVOKER": self._running.invoker,
        }
        if address := order.first_address:
            told["OPENSHIFT_INSTALL_BOOTSTRAP_NODE_IP"] = address
        if self._running.certificates:
            told["OPENSHIFT_INSTALL_LOAD_CLUSTER_CERTS"] = "true"
        return told


def _lay_over(folder: Path, order: Order) -> None:
    """Put the manifests of service and user among those of the installer."""
    own = {
        f"{place}/{path.name}": path.read_bytes()
        for place in Folder
        for path in _inside(folder / place)
        if path.is_file()
    }
    unwanted = {name for name in own if order.cluster.platform.type in WITH_MACHINES and _made_by_others(name)}
    kept: dict[str, Content] = {name: content for name, content in own.items() if name not in unwanted}
    wanted = customised(kept, (*order.manifests, *order.topology))
    for name in unwanted:
        (folder / name).unlink()
    for name, content in wanted.items():
        if content != own.get(name):
            text = content if isinstance(content, bytes) else json.dumps(content, indent=2).encode()
            write_private(folder / name, text)


def _inside(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else []


def _made_by_others(name: str) -> bool:
    place, _, file_name = name.partition("/")
    return place == Folder.OPENSHIFT and any(fnmatch(file_name, pattern) for pattern in MADE_BY_OTHERS)


def _gathered(folder: Path, order: Order) -> Assets:
    """What the installer has written. A single node has all it needs from its bootstrap, so its role adds nothing."""
    beside = {
        name: (folder / name).read_bytes()
        for name in ("metadata.json", "auth/kubeconfig", "auth/kubeadmin-password")
        if (folder / name).is_file()
    }
    bootstrap = _config(folder, IN_PLACE if order.cluster.single_node else "bootstrap.ign")
    if order.cluster.single_node:
        empty = ignition_config(version=bootstrap["ignition"]["version"])
        return read_assets(bootstrap, {Role.MASTER: empty, Role.WORKER: empty}, beside)
    arbiter = (Role.ARBITER,) if (folder / "arbiter.ign").is_file() else ()
    roles = {role: _config(folder, f"{role.value}.ign") for role in (Role.MASTER, Role.WORKER, *arbiter)}
    return read_assets(bootstrap, roles, beside)


def _config(folder: Path, name: str) -> Config:
    try:
        content = (folder / name).read_bytes()
    except FileNotFoundError as error:
        raise Broken(f"{NAME} ended well and has written no {name}") from error
    return read_config(name, content)
