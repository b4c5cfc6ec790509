"""An app that signs its people in with PyPI's social-auth-core, on another site than Pippin.

The backend is social-core's own `AppleIdAuth`; only its addresses and the issuer differ. The rest is what
any site brings along: pages, a session cookie, and a place to keep users.
"""

import html
import http.cookies
import io
import secrets
import threading
import urllib.parse
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from social_core.actions import do_auth, do_complete
from social_core.backends.apple import AppleIdAuth
from social_core.exceptions import SocialAuthBaseException
from social_core.strategy import BaseStrategy

from sample_storage import in_memory_storage


class SampleApp:
    """Serves `/`, `/login`, `/callback` and `/profile` on a free port of 127.0.0.1."""

    def __init__(self):
        self.callbacks: list[dict[str, str]] = []
        self.sessions: dict[str, dict] = {}
        self.token: dict = {}
        self.storage = in_memory_storage()
        self.settings: dict = {}
        self._server = make_server(
            "127.0.0.1", 0, self._respond, server_class=_Server, handler_class=_QuietHandler
        )
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self.return_url = self.url + "/callback"

    def use(self, base: str, team_id: str, client_id: str, key_id: str, private_pem: str) -> None:
        """Points the app at a team's base address, with the app's own credentials there."""

        class PippinAuth(AppleIdAuth):
            JWK_URL = f"{base}/auth/keys"
            AUTHORIZATION_URL = f"{base}/auth/authorize"
            ACCESS_TOKEN_URL = f"{base}/auth/token"
            ID_TOKEN_ISSUER = base
            TOKEN_AUDIENCE = base
            REVOKE_TOKEN_URL = f"{base}/auth/revoke"
            REVOKE_TOKEN_METHOD = "POST"

            def revoke_token_params(self, token, uid):
                # social-core knows how to revoke, and leaves what a provider wants to the backend.
                client_id, client_secret = self.get_key_and_secret()
                return {"client_id": client_id, "client_secret": client_secret, "token": token}

            def request_access_token(self, *args, **kwargs):
                # Its Apple backend goes on with the claims alone; an app that means to revoke keeps the tokens.
                self.strategy.request.app.token = super().request_access_token(*args, **kwargs)
                return self.strategy.request.app.token

        self.backend = PippinAuth
        self.settings = {
            "SOCIAL_AUTH_APPLE_ID_CLIENT": client_id,
            "SOCIAL_AUTH_APPLE_ID_TEAM": team_id,
            "SOCIAL_AUTH_APPLE_ID_KEY": key_id,
            "SOCIAL_AUTH_APPLE_ID_SECRET": private_pem,
            "SOCIAL_AUTH_APPLE_ID_SCOPE": ["name", "email"],
            "SOCIAL_AUTH_USER_FIELDS": ["username", "email", "first_name", "last_name"],
            "SOCIAL_AUTH_LOGIN_REDIRECT_URL": "/profile",
        }

    def client(self) -> AppleIdAuth:
        """The backend away from any visitor, as a job of the app's server has it."""
        environ = {"REQUEST_METHOD": "GET", "HTTP_HOST": self.url.removeprefix("http://"), "QUERY_STRING": "",
                   "wsgi.input": io.BytesIO()}
        return Request(environ, self).backend()

    def start(self) -> None:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _respond(self, environ, start_response):
        request = Request(environ, self)
        pages = {"/": _home, "/login": _login, "/callback": _callback, "/profile": _profile}
        page = pages.get(environ["PATH_INFO"])
        try:
            status, headers, body = page(request) if page else ("404 Not Found", [], "Not found")
        except SocialAuthBaseException as refusal:
            status, headers, body = "200 OK", [], f"<h1>Not signed in</h1><p id=reason>{html.escape(str(refusal))}</p>"
        headers = [("Content-Type", "text/html; charset=utf-8"), ("Set-Cookie", request.cookie), *headers]
        start_response(status, headers)
        return [("<!doctype html><title>Sample</title>" + body).encode()]


class Request:
    """What a page of the app knows: the fields that were sent, and the visitor's session."""

    def __init__(self, environ, app: SampleApp):
        self.app = app
        self.method = environ["REQUEST_METHOD"]
        self.host = environ["HTTP_HOST"]
        length = int(environ.get("CONTENT_LENGTH") or 0)
        sent = environ["wsgi.input"].read(length).decode() if self.method == "POST" else environ["QUERY_STRING"]
        self.fields = dict(urllib.parse.parse_qsl(sent, keep_blank_values=True))
        cookies = http.cookies.SimpleCookie(environ.get("HTTP_COOKIE", ""))
        known = cookies["sample"].value if "sample" in cookies else ""
        self.id = known if known in app.sessions else secrets.token_urlsafe(16)
        self.session = app.sessions.setdefault(self.id, {})

    @property
    def cookie(self) -> str:
        # Apple's answer is a cross-site POST: the session must travel with it.
        return f"sample={self.id}; Path=/; HttpOnly; Secure; SameSite=None"

    def backend(self) -> AppleIdAuth:
        return self.app.backend(Strategy(self), redirect_uri="/callback")


class Strategy(BaseStrategy):
    """social-core's view of one request to this app."""

    def __init__(self, request: Request):
        super().__init__(request.app.storage)
        self.request = request

    def get_setting(self, name):
        return self.request.app.settings[name]

    def get_request_data(self, merge=True):
        return self.request.fields

    def request_host(self):
        return self.request.host

    def build_absolute_uri(self, path=None):
        return urllib.parse.urljoin(self.request.app.url, path or "")

    def session_get(self, name, default=None):
        return self.request.session.get(name, default)

    def session_set(self, name, value):
        self.request.session[name] = value

    def session_pop(self, name):
        return self.request.session.pop(name, None)

    def redirect(self, url):
        return ("302 Found", [("Location", url)], "")

    def html(self, content):
        return ("200 OK", [], content)


def _home(request: Request):
    return ("200 OK", [], '<h1>Sample</h1><a href="/login">Sign in with Apple</a>')


def _login(request: Request):
    return do_auth(request.backend())


def _callback(request: Request):
    request.app.callbacks.append({"method": request.method, **request.fields})

    def login(backend, user, social):
        request.session["user"] = user.id

    return do_complete(request.backend(), login)


def _profile(request: Request):
    user = request.app.storage.user.get_user(request.session.get("user"))
    if user is None:
        return ("302 Found", [("Location", "/")], "")
    rows = "".join(
        f"<dt>{name}</dt><dd id={name}>{html.escape(getattr(user, name) or '')}</dd>"
        for name in ("username", "email", "first_name", "last_name")
    )
    return ("200 OK", [], f"<h1>Signed in</h1><dl>{rows}</dl>")


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _QuietHandler(WSGIRequestHandler):
    def log_message(self, format, *args):
        pass
