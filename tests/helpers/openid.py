"""An OpenID Connect provider on this machine: codes, PKCE, discovery and signed tokens."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm

from leaderboard.schemas.openid_providers import ProviderSetting

KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
OTHER_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
CLIENT, SECRET = "podium", "a secret of the provider"


@dataclass
class Provider:
    """What the provider answers. Tests change the fields to make it misbehave."""

    server_url: str
    person: dict[str, Any] = field(default_factory=lambda: {"sub": "4711", "name": "Eve Example"})
    """The claims of the userinfo. The id_token has its `sub` alone."""
    token: dict[str, Any] = field(default_factory=dict)
    """Claims of the id_token that differ."""
    metadata: dict[str, Any] = field(default_factory=dict)
    """Entries of the discovery document that differ."""
    key: rsa.RSAPrivateKey = KEY
    agrees: bool = True
    """Whether the person lets this site in."""
    asked: list[dict[str, str]] = field(default_factory=list)
    """The queries of the authorisation endpoint."""
    codes: dict[str, dict[str, str]] = field(default_factory=dict)

    def configured(self, **changes: str) -> ProviderSetting:
        """The entry of the setting OPENID_CONNECT."""
        given = {"id": "uni", "name": "University", "server_url": self.server_url}
        return ProviderSetting(**{**given, "client_id": CLIENT, "client_secret": SECRET, **changes})

    def discovery(self) -> dict[str, Any]:
        issuer = self.server_url
        return {
            "issuer": issuer,
            "authorization_endpoint": f"{issuer}/authorize",
            "token_endpoint": f"{issuer}/token",
            "jwks_uri": f"{issuer}/keys",
            "userinfo_endpoint": f"{issuer}/me",
            "token_endpoint_auth_methods_supported": ["client_secret_basic"],
            **self.metadata,
        }

    def authorized(self, query: dict[str, str]) -> str:
        """The address to which the person is sent back."""
        self.asked.append(query)
        assert query["response_type"] == "code"
        assert query["code_challenge_method"] == "S256"
        assert "openid" in query["scope"].split()
        answer = {"state": query["state"]}
        if self.agrees:
            code = f"code-{len(self.asked)}"
            self.codes[code] = query
            answer["code"] = code
        else:
            answer["error"] = "access_denied"
        return f"{query['redirect_uri']}?{urlencode(answer)}"

    def redeemed(self, form: dict[str, str], authorization: str) -> dict[str, Any] | None:
        """The tokens for a code, which works once and only with what proves who asked for it."""
        query = self.codes.pop(form.get("code", ""), None)
        login = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        digest = sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        if (
            query is None
            or authorization != f"Basic {login}"
            or query["code_challenge"] != challenge
            or query["redirect_uri"] != form["redirect_uri"]
        ):
            return None
        return {"access_token": "access", "token_type": "Bearer", "id_token": self.id_token()}

    def id_token(self) -> str:
        now = int(time.time())
        claims = {
            "iss": self.server_url,
            "aud": CLIENT,
            "sub": self.person["sub"],
            "iat": now,
            "exp": now + 300,
            **self.token,
        }
        return jwt.encode(claims, self.key, "RS256", {"kid": "k1"})

    @staticmethod
    def keys() -> dict[str, Any]:
        key = json.loads(RSAAlgorithm.to_jwk(KEY.public_key()))
        return {"keys": [{**key, "kid": "k1", "use": "sig", "alg": "RS256"}]}


@contextmanager
def running_provider() -> Iterator[Provider]:
    """A provider in a thread of this process, until the block ends."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    provider = server.provider = Provider(  # type: ignore[attr-defined]
        f"http://127.0.0.1:{server.server_port}/realm"
    )
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        url = urlsplit(self.path)
        provider: Provider = self.server.provider  # type: ignore[attr-defined]
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        match url.path.removeprefix("/realm"):
            case "/.well-known/openid-configuration":
                self._json(provider.discovery())
            case "/keys":
                self._json(provider.keys())
            case "/me" if self.headers["Authorization"] == "Bearer access":
                self._json(provider.person)
            case "/authorize":
                # Through another address first, as providers do that ask somebody else.
                self._go(f"/realm/asked?{url.query}")
            case "/asked":
                self._go(provider.authorized(query))
            case _:
                self.send_error(404)

    def do_POST(self) -> None:
        provider: Provider = self.server.provider  # type: ignore[attr-defined]
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        form = {name: values[0] for name, values in parse_qs(body).items()}
        tokens = provider.redeemed(form, self.headers.get("Authorization", ""))
        if tokens is None:
            self.send_error(400)
        else:
            self._json(tokens)

    def log_message(self, *_: Any) -> None:
        """Nothing: the output of tests is for tests."""

    def _json(self, document: dict[str, Any]) -> None:
        body = json.dumps(document).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _go(self, address: str) -> None:
        self.send_response(302)
        self.send_header("Location", address)
        self.send_header("Content-Length", "0")
        self.end_headers()
