"""A stand-in for `openshift-install`, which is not to be had here: its command line, its files, its ways to fail.

What is in the files is what the lab's releases are made of. `stand_in` makes a program of it; the program writes down
how it was called, and fails in the way that it is told to.
"""

import json
import os
import shlex
import shutil
import signal
import sys
import time
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

PASSWORD = "Aaaaa-Bbbbb-Ccccc-Ddddd"
STATE = ".openshift_install_state.json"
EPOCH = datetime.fromtimestamp(0, UTC)


def stand_in(folder: Path, failure: str = "", step: str = "create") -> Path:
    """A program that behaves like the installer, and fails in a step if it is told how."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "openshift-install"
    words = [sys.executable, __file__, str(folder / "calls.jsonl"), failure, step]
    program.write_text(f'#!/bin/sh\nexec {" ".join(map(shlex.quote, words))} "$@"\n')
    program.chmod(0o755)
    return program


def calls_of(program: Path) -> list[dict[str, Any]]:
    """How the program was called: its words, its environment, and what lay in its folder."""
    log = program.with_name("calls.jsonl")
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


def main() -> None:
    """Do what the real one would, as far as anybody looks."""
    log, failure, step, *words = sys.argv[1:]
    create, what, flag, folder = words
    assert (create, flag) == ("create", "--dir"), words
    work = Path(folder)
    install_config = work / "install-config.yaml"
    mode = install_config.stat().st_mode & 0o777 if install_config.exists() else None
    with Path(log).open("a") as file:
        found = sorted(path.relative_to(work).as_posix() for path in work.rglob("*"))
        call = {"words": words, "environment": dict(os.environ), "found": found, "mode": mode, "pid": os.getpid()}
        file.write(json.dumps(call) + "\n")
    if failure == "hang once":
        hang_once(Path(log).with_name(f"hung-{what}"))
    if failure and step in words:
        fail(failure, work)
    {"manifests": manifests, "ignition-configs": configs, "single-node-ignition-config": configs_in_place}[what](work)
    if failure == "forgetful":
        (work / "master.ign").unlink(missing_ok=True)
    elif failure == "homeless":
        shutil.rmtree(work / "auth", ignore_errors=True)
    elif failure == "unreadable" and (work / "worker.ign").exists():
        (work / "worker.ign").write_text("{")


def hang_once(mark: Path) -> None:
    """Hang where nobody has before."""
    if not mark.exists():
        mark.touch()
        time.sleep(3600)


def fail(failure: str, work: Path) -> None:
    """End as programs end that go wrong."""
    if failure == "hang":
        time.sleep(3600)
    if failure == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if failure == "garbage":
        given = (work / "install-config.yaml").read_text()
        sys.stderr.buffer.write(b"\xff\xfe\x00 not text\n")
        sys.stderr.write("level=info msg=Consuming Install Config from target directory\n" * 100)
        sys.stderr.write(f"level=debug msg={json.dumps(given)}\n")
        secret = json.loads(given)["pullSecret"]
        sys.stderr.write(
            f'\x1b[31mlevel=error msg="cannot use {json.dumps(secret)[1:-1]} to read the release"\x1b[0m\n'
        )
        sys.stderr.write("FATAL -----BEGIN RSA PRIVATE KEY-----\n")
        sys.exit(1)


def manifests(work: Path) -> None:
    """`create manifests`: consumes the install-config and leaves manifests to be changed."""
    config = json.loads((work / "install-config.yaml").read_text())
    if not config["baseDomain"]:
        complain('invalid "install-config.yaml" file: baseDomain: Invalid value: "": domain name is empty')
    (work / "install-config.yaml").unlink()
    site = site_of(config)
    trees = lab_manifests.manifests(site)
    if "vsphere" in config["platform"]:
        trees |= {f"openshift/99_openshift-cluster-api_{name}.yaml": {"kind": "Machine"} for name in MACHINES}
    for place in ("manifests", "openshift"):
        (work / place).mkdir()
    for name, tree in trees.items():
        (work / name).write_text(yaml.safe_dump(tree))
    (work / STATE).write_text(json.dumps({"config": config, "id": site.cluster_id}))


MACHINES = ("master-machines-0", "worker-machineset-0")


def configs(work: Path, bootstrap_name: str = "bootstrap.ign") -> None:
    """`create ignition-configs`: consumes the manifests, also where they are made on the way."""
    if not (work / STATE).exists():
        manifests(work)
    state = json.loads((work / STATE).read_text())
    site = site_of(state["config"], state["id"])
    keys = bootstrap.new_keys(site.cluster, site.certificates)
    found = {
        f"{place}/{path.name}": path.read_bytes()
        for place in ("manifests", "openshift")
        for path in files_in(work / place)
    }
    first = bootstrap.bootstrap(site, keys, found)
    first["storage"]["files"] += ODDITIES
    trust = site.certificates.machine_config_server_ca.chain
    roles = ["master", "worker", *(["arbiter"] if "arbiter" in state["config"] else [])]
    made = {f"{role}.ign": ignition.pointer(site.cluster.domain, role, trust) for role in roles}
    for name, config in {bootstrap_name: first, **({} if site.cluster.single_node else made)}.items():
        (work / name).write_bytes(ignition.encoded(config))
    for place in ("manifests", "openshift"):
        shutil.rmtree(work / place)
    (work / "auth").mkdir()
    (work / "auth/kubeconfig").write_bytes(keys.admin)
    (work / "auth/kubeadmin-password").write_text(PASSWORD)
    (work / "metadata.json").write_text(json.dumps({"clusterID": site.cluster_id}))


def configs_in_place(work: Path) -> None:
    """`create single-node-ignition-config`: everything is in one config."""
    configs(work, "bootstrap-in-place-for-live-iso.ign")


def files_in(folder: Path) -> list[Path]:
    """The files of a folder, in order."""
    return sorted(folder.iterdir())


def complain(words: str) -> None:
    """End as the real one ends if it does not like what it was given."""
    inner = f'failed to fetch Master Machines: failed to load asset "Install Config": {words}'
    sys.stderr.write(f"level=fatal msg={json.dumps(inner)}\n")
    sys.exit(3)


ODDITIES = [
    {"path": "/etc/motd", "append": [{"source": "data:,This%20is%20the%20bootstrap%20node%0A"}], "mode": 0o644},
    {"path": "/etc/NetworkManager/system-connections/nmconnection", "contents": {"source": "data:,x"}, "mode": 0o600},
    {"path": "/opt/openshift/openshift/99_baremetal-provisioning-config.yaml", "contents": {"source": "data:,x"}},
]
"""Files that the service does without or changes."""


def site_of(config: dict[str, Any], cluster_id: str = "") -> "lab_manifests.Site":
    """What the lab's manifests speak of, read back from an install-config."""
    networking = config["networking"]
    (platform,) = config["platform"]
    cluster = Cluster(
        id=str(uuid.UUID(int=1)),
        status=ClusterState.PREPARING,
        status_updated_at=EPOCH,
        created_at=EPOCH,
        updated_at=EPOCH,
        api_vips=(Vip(ip="192.168.1.5"),),
        ingress_vips=(Vip(ip="192.168.1.6"),),
        cluster_networks=(ClusterNetwork(cidr="10.128.0.0/14", host_prefix=23),),
        name=config["metadata"]["name"],
        base_dns_domain=config["baseDomain"],
        openshift_version="4.20.1",
        pull_secret=config["pullSecret"],
        ssh_public_key=config["sshKey"],
        control_plane_count=config["controlPlane"]["replicas"],
        platform=Platform(type=PlatformType(platform)),
        service_networks=tuple(networking["serviceNetwork"]),
        machine_networks=tuple(each["cidr"] for each in networking.get("machineNetwork", ())),
    )
    return lab_manifests.Site(
        cluster=cluster,
        cluster_id=cluster_id or str(uuid.uuid4()),
        infra_id=f"{cluster.name}-abcde",
        install_config=config,
        certificates=new_certificates(cluster),
    )


if __name__ == "__main__":
    # Only the program needs all that; tests that start it do not.
    from muster.adapters.releases import bootstrap, ignition
    from muster.adapters.releases import manifests as lab_manifests
    from muster.adapters.releases.certificates import new_certificates
    from muster.domain.clusters import Cluster, ClusterState, Platform, PlatformType
    from muster.domain.networks import ClusterNetwork, Vip

    main()
