"""The `api-vip-connectivity-check` step: whether this machine gets the ignition of the running cluster it joins."""

import json
import re
from base64 import b64decode
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from muster.client import Client
from muster.domain.errors import Broken, Invalid, MusterError
from muster.domain.joining import KUBECONFIG, MACHINE_CONFIG, OWN_SERVICES, ApiVipReply, read_ignition
from muster.domain.steps.api_vip_connectivity_check import ApiVipRequest
from muster.machine import Machine, Page

from .step import Reply, first, replied

ACCEPT = "application/vnd.coreos.ignition+json; version=3.2.0"
KEPT = OWN_SERVICES | {KUBECONFIG}
"""The files that say how the cluster finds itself. All others are left out, since an ignition is large."""

EXCERPT = 512
"""How many bytes of an answer that is no ignition are shown."""

GOOD = range(200, 300)
VERSIONS = re.compile(r"3\.\d+\.\d+(-.+)?")


async def do(machine: Machine, args: Sequence[str], _: Client) -> Reply:
    """The ignition without what is not looked at, or why it cannot be had; that is no fault of the step."""
    request = first(args, ApiVipRequest)
    authorities = _authorities(request.ca_certificate)
    try:
        ignition = _read(await machine.fetch(request.url, _headers(request), authorities))
    except MusterError as error:
        failed = replied(ApiVipReply(url=request.url, download_error=str(error)))
        return failed.but(error="The ignition of the cluster could not be fetched")
    return replied(ApiVipReply(is_success=True, url=request.url, ignition=ignition))


def _headers(request: ApiVipRequest) -> dict[str, str]:
    headers = {"Accept": ACCEPT}
    if request.ignition_endpoint_token:
        headers["Authorization"] = f"Bearer {request.ignition_endpoint_token}"
    return headers | {each.key: each.value for each in request.request_headers or ()}


def _authorities(certificates: str) -> str:
    try:
        return b64decode(certificates, validate=True).decode()
    except ValueError as error:
        raise Invalid("ca_certificate: the certificates to trust are not PEM in base64") from error


def _read(page: Page) -> str:
    """The ignition in an answer, reduced to what is looked at; `Broken` with its beginning if it holds none."""
    shown = page.content[:EXCERPT].decode(errors="replace")
    if page.status not in GOOD:
        raise Broken(f"the answer has status {page.status}: {shown}")
    if not page.content:
        raise Broken("the answer is empty")
    try:
        document = json.loads(page.content)
    except (ValueError, RecursionError) as error:
        raise Broken(f"the answer is not JSON: {shown}") from error
    ignition = read_ignition(json.dumps(document))
    if ignition is None or not VERSIONS.fullmatch(_version(document)):
        raise Broken(f"the answer is no ignition of version 3: {shown}")
    return _reduced(document, ignition.system_image)


def _version(document: dict[str, Any]) -> str:
    head = document.get("ignition")
    return str(head.get("version")) if isinstance(head, dict) else ""


def _reduced(document: dict[str, Any], system: str) -> str:
    """An ignition with the files that are looked at, and without units; of the machine config only its system."""
    storage = document.get("storage", {})
    files = [file for file in storage.get("files") or () if file.get("path") in KEPT]
    if system:
        config = quote(json.dumps({"spec": {"osImageURL": system}}))
        files.append({"path": MACHINE_CONFIG, "contents": {"source": f"data:,{config}"}})
    rest = {name: part for name, part in document.items() if name != "systemd"}
    return json.dumps(rest | {"storage": storage | {"files": files}}, separators=(",", ":"), sort_keys=True)
