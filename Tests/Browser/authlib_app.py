"""An app that signs its people in with PyPI's Authlib: discovery, PKCE, and a client secret signed with its key."""

import html
import http.cookies
import secrets
import threading
import time
import urllib.parse
from wsgiref.simple_server import WSGIRequestHandler, make_server

import requests
from authlib.integrations.requests_client import OAuth2Session
from authlib.oidc.core import CodeIDToken
from joserfc import jwk, jwt

from cast import SigningKey
from waiting import SECONDS


class AuthlibApp:
    """Serves `/login` and `/callback` on a free port of 127.0.0.1."""

    def __init__(self):
        self.callbacks: list[dict[str, str]] = []
        self.sessions: dict[str, dict[str, str]] = {}
        self.token: dict = {}
        self._server = make_server("127.0.0.1", 0, self._respond, handler_class=_QuietHandler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self.return_url = self.url + "/callback"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def use(self, base: str, team_id: str, client_id: str, key: SigningKey) -> None:
        self.client_id = client_id
        self.metadata = requests.get(f"{base}/.well-known/openid-configuration", timeout=SECONDS).json()
        claims = {"iss": team_id, "sub": client_id, "aud": base, "iat": int(time.time()), "exp": int(time.time()) + 300}
        header = {"alg": "ES256", "kid": key.id}
        self.client_secret = jwt.encode(header, claims, jwk.import_key(key.private_pem, "EC"))

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def client(self, **options) -> OAuth2Session:
        return OAuth2Session(
            self.client_id,
            self.client_secret,
            scope="openid name email",
            redirect_uri=self.return_url,
            token_endpoint_auth_method="client_secret_post",
            revocation_endpoint_auth_method="client_secret_post",
            code_challenge_method="S256",
            **options,
        )

    def claims(self, token: dict, nonce: str | None = None) -> CodeIDToken:
        """What the id_token says, once its signature and every claim are checked."""
        keys = jwk.KeySet.import_key_set(requests.get(self.metadata["jwks_uri"], timeout=SECONDS).json())
        decoded = jwt.decode(token["id_token"], keys, algorithms=["RS256"])
        options = {
            "iss": {"essential": True, "value": self.metadata["issuer"]},
            "aud": {"essential": True, "value": self.client_id},
        }
        claims = CodeIDToken(
            decoded.claims, decoded.header, options,
            {"client_id": self.client_id, "nonce": nonce, "access_token": token["access_token"]},
        )
        claims.validate()
        return claims

    def _respond(self, environ, start_response):
        length = int(environ.get("CONTENT_LENGTH") or 0)
        fields = dict(urllib.parse.parse_qsl(environ["wsgi.input"].read(length).decode()))
        if environ["PATH_INFO"] == "/login":
            return self._login(start_response)
        if environ["PATH_INFO"] == "/callback":
            return self._callback(environ, fields, start_response)
        start_response("404 Not Found", [])
        return [b""]

    def _login(self, start_response):
        session = {"verifier": secrets.token_urlsafe(48), "nonce": secrets.token_urlsafe(16)}
        url, session["state"] = self.client().create_authorization_url(
            self.metadata["authorization_endpoint"],
            response_mode="form_post",
            nonce=session["nonce"],
            code_verifier=session["verifier"],
        )
        id = secrets.token_urlsafe(16)
        self.sessions[id] = session
        cookie = f"authlib={id}; Path=/; HttpOnly; Secure; SameSite=None"
        start_response("302 Found", [("Location", url), ("Set-Cookie", cookie)])
        return [b""]

    def _callback(self, environ, fields, start_response):
        self.callbacks.append(fields)
        cookies = http.cookies.SimpleCookie(environ.get("HTTP_COOKIE", ""))
        session = self.sessions.pop(cookies["authlib"].value)
        assert fields["state"] == session["state"]
        self.token = self.client().fetch_token(
            self.metadata["token_endpoint"], code=fields["code"], code_verifier=session["verifier"]
        )
        claims = self.claims(self.token, session["nonce"])
        start_response("200 OK", [("Content-Type", "text/html; charset=utf-8")])
        return [f"<!doctype html><title>Authlib</title><h1>Signed in</h1><p id=sub>{html.escape(claims['sub'])}".encode()]


class _QuietHandler(WSGIRequestHandler):
    def log_message(self, format, *args):
        pass
