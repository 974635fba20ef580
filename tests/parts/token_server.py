"""Whom a registry sends its guests to for a token: a small server that signs what `docker-registry` believes."""

import base64
import json
import time
from pathlib import Path
from typing import Self

from aiohttp import web
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.x509 import load_pem_x509_certificate

from parts.certificates import own_certificate
from parts.registry import login
from parts.service import free_port


class TokenServer:
    """Gives tokens for a registry to those who have the login; `open_to_all` gives them to anybody."""

    def __init__(self, folder: Path, *, open_to_all: bool = False) -> None:
        self.certificate, self.key = own_certificate(folder)
        self._key = serialization.load_pem_private_key(self.key.read_bytes(), None)
        self.port = free_port()
        self.given = 0
        self.lasts = 300
        self._open = open_to_all

    @property
    def auth(self) -> dict[str, object]:
        """What the registry is to be told of it."""
        realm = f"http://127.0.0.1:{self.port}/token"
        told = {"realm": realm, "service": "registry", "issuer": "us", "rootcertbundle": str(self.certificate)}
        return {"token": told}

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_get("/token", self._answer)
        self._runner = web.AppRunner(app)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self.port).start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._runner.cleanup()

    async def _answer(self, request: web.Request) -> web.Response:
        if not self._open and request.headers.get("Authorization") != f"Basic {login()}":
            return web.Response(status=401)
        self.given += 1
        kind, name, actions = request.query["scope"].split(":")
        access = [{"type": kind, "name": name, "actions": actions.split(",")}]
        return web.json_response({"token": self._signed(access), "expires_in": self.lasts})

    def _signed(self, access: list[dict[str, object]]) -> str:
        chain = load_pem_x509_certificate(self.certificate.read_bytes()).public_bytes(serialization.Encoding.DER)
        now = int(time.time())
        claims = {"iss": "us", "aud": "registry", "sub": "robot", "jti": str(self.given), "access": access}
        claims |= {"nbf": now - 60, "iat": now - 60, "exp": now + 300}
        head = {"alg": "ES256", "typ": "JWT", "x5c": [base64.b64encode(chain).decode()]}
        signed = ".".join(_url(json.dumps(part).encode()) for part in (head, claims))
        r, s = decode_dss_signature(self._key.sign(signed.encode(), ec.ECDSA(hashes.SHA256())))
        return f"{signed}.{_url(r.to_bytes(32) + s.to_bytes(32))}"


def _url(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).decode().rstrip("=")
