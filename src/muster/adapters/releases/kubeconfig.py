"""Writes kubeconfig files, and lets one trust the ingress as well.

Called by the lab's release, and by the effect that publishes the kubeconfig of a cluster.
"""

from base64 import b64decode, b64encode
from typing import Any

import yaml

from muster.domain.errors import Broken, Invalid
from muster.domain.inputs.credentials import is_certificates

from .certificates import Identity

API_PORT = 6443
_CA = "certificate-authority-data"


def new_kubeconfig(cluster: str, server: str, trust: bytes, user: str, identity: Identity) -> bytes:
    """A kubeconfig with which a user reaches one cluster: whom to call, whom to trust, who one is."""
    return _written(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": cluster, "cluster": {_CA: _base64(trust), "server": server}}],
            "users": [
                {
                    "name": user,
                    "user": {
                        "client-certificate-data": _base64(identity.chain),
                        "client-key-data": _base64(identity.key_pem),
                    },
                }
            ],
            "contexts": [{"name": user, "context": {"cluster": cluster, "user": user}}],
            "current-context": user,
            "preferences": {},
        }
    )


def kubeconfig_with_ingress(kubeconfig: bytes, ingress_ca_pem: str) -> bytes:
    """The kubeconfig with the ingress's certificate put before those it trusts already.

    `Invalid` if the ingress's certificate is not PEM, `Broken` if the kubeconfig is not what it should be.
    A complaint never quotes the file, which holds a private key. Whether a certificate is as it should be inside is
    for those to say who check it: whoever uploads one is asked no more here than at the door.
    """
    if not is_certificates(ingress_ca_pem):
        raise Invalid("ingress-cert: must be one or more certificates in PEM form, from BEGIN to END CERTIFICATE")
    ingress = ingress_ca_pem.encode() + (b"" if ingress_ca_pem.endswith("\n") else b"\n")
    config = _read(kubeconfig)
    for entry in _clusters(config):
        entry[_CA] = _base64(ingress + _trusted(entry))
    return _written(config)


def _clusters(config: dict[str, Any]) -> list[dict[str, Any]]:
    entries = config.get("clusters")
    if not isinstance(entries, list) or not entries:
        raise Broken("adding the ingress to a kubeconfig: it names no cluster")
    clusters = [entry.get("cluster") for entry in entries if isinstance(entry, dict)]
    found = [cluster for cluster in clusters if isinstance(cluster, dict)]
    if len(found) < len(entries):
        raise Broken("adding the ingress to a kubeconfig: one of its cluster entries is empty")
    return found


def _trusted(cluster: dict[str, Any]) -> bytes:
    """The certificates that a cluster entry trusts."""
    try:
        trusted = b64decode(str(cluster.get(_CA, "")), validate=True)
    except ValueError:
        trusted = b""
    if not is_certificates(trusted.decode(errors="replace")):
        raise Broken(f"adding the ingress to a kubeconfig: its {_CA} holds no certificate in PEM form")
    return trusted


def _read(text: bytes) -> dict[str, Any]:
    try:
        config = yaml.load(text, Loader=yaml.CSafeLoader)
    except yaml.YAMLError:
        config = None
    if not isinstance(config, dict):
        raise Broken("adding the ingress to a kubeconfig: it cannot be read as YAML")
    return config


def _written(config: dict[str, Any]) -> bytes:
    text: bytes = yaml.dump(config, Dumper=yaml.CSafeDumper, sort_keys=False, encoding="utf-8")
    return text


def _base64(content: bytes) -> str:
    return b64encode(content).decode()
