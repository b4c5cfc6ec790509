"""A backend that signs people in through Pippin, in Python 3.11 with PyJWT[crypto] and requests. See README.md."""

import contextlib
import hashlib
import hmac
import json
import os
import secrets
import sys
import threading
import time
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

import jwt
import requests

NEEDED = {
    "BASE_URL": "your team's base at Pippin, such as https://id.example.com/t/ACMETEAM01",
    "TEAM_ID": "your Team ID at Pippin", "CLIENT_ID": "the identifier of a Service ID",
    "KEY_ID": "the Key ID of a key that Pippin issued", "KEY_FILE": "the path of its file, AuthKey_<KEY_ID>.p8",
    "ORIGIN": "where people reach this server; ORIGIN/callback is a return URL of the Service ID",
}
if missing := [f"  {name}: {meaning}" for name, meaning in NEEDED.items() if not os.environ.get(name)]:
    sys.exit("Set these environment variables:\n" + "\n".join(missing))
BASE_URL, TEAM_ID, CLIENT_ID, KEY_ID, KEY_FILE, ORIGIN = (os.environ[name] for name in NEEDED)
BUNDLE_ID, DATA_FILE = os.environ.get("BUNDLE_ID", ""), Path(os.environ.get("DATA_FILE", "people.json"))
PORT, CHECK_SECONDS = int(os.environ.get("PORT", "9000")), int(os.environ.get("CHECK_SECONDS", "86400"))
try:
    PRIVATE_KEY = jwt.get_algorithm_by_name("ES256").prepare_key(Path(KEY_FILE).read_text())
    PAGE = Path(__file__).parent.with_name("page.html").read_bytes()
except (OSError, ValueError, jwt.InvalidKeyError) as error:
    sys.exit(f"Cannot read KEY_FILE, {KEY_FILE}, or page.html: {error}")
# Users by `sub`, and sessions by the hash of their id, so that a copy of the file signs no one in.
data = json.loads(DATA_FILE.read_text()) if DATA_FILE.exists() else {"people": {}, "sessions": {}}
people, sessions, lock = data["people"], data["sessions"], threading.Lock()
keys = jwt.PyJWKClient(f"{BASE_URL}/auth/keys", timeout=30)  # By kid; for an unknown one it fetches the set again.


class Problem(Exception):
    """Why a request fails: a status, and a word that page.html and the apps have a sentence for."""


@contextlib.contextmanager
def changing():
    """One change at a time. The file is on disk when this ends, and never half-written."""
    with lock:
        yield
        new = DATA_FILE.with_suffix(".new")
        with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            json.dump(data, file, indent=1)
            file.flush()
            os.fsync(file.fileno())
        new.replace(DATA_FILE)


def call(path: str, client_id: str, /, **form: str) -> dict:
    """Calls Pippin. 400 is a refusal; any other failure is temporary."""
    now = int(time.time())  # A secret is made anew for each call: then none is ever too old.
    claims = {"iss": TEAM_ID, "sub": client_id, "aud": BASE_URL, "iat": now, "exp": now + 300}
    secret = jwt.encode(claims, PRIVATE_KEY, algorithm="ES256", headers={"kid": KEY_ID})
    try:
        answer = requests.post(f"{BASE_URL}/auth/{path}", form | {"client_id": client_id, "client_secret": secret},
                               timeout=30, allow_redirects=False)
        if answer.status_code == 400:
            raise Problem(400, answer.json()["error"])
        answer.raise_for_status()
        return answer.json() if answer.content else {}
    except requests.RequestException as error:
        raise Problem(503, "try_later") from error


def verify(token: str, audience: str, nonce: str | None = None) -> dict:
    """The claims of an identity token that Pippin signed for this client and, by its nonce, for this very sign-in."""
    try:
        claims = jwt.decode(token, keys.get_signing_key_from_jwt(token), algorithms=["RS256"], audience=audience,
                            issuer=BASE_URL, options={"require": ["iss", "aud", "sub", "iat", "exp"]})
        if nonce is not None and claims.get("nonce") != nonce:
            raise jwt.InvalidTokenError("of another sign-in")
        return claims
    except jwt.PyJWKClientConnectionError as error:
        raise Problem(503, "try_later") from error
    except jwt.PyJWTError as error:
        raise Problem(400, "bad_token") from error


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def remember(claims: dict, user: dict) -> None:
    """Stores a user and, in the same write, the name that comes once in the life of an account."""
    # The key is `sub`, never the email address: it may be a relay's, it changes, and two people may share one. It is
    # taken from the signed claims. The name is not signed: display it, never decide by it.
    with changing():
        person = people.setdefault(claims["sub"], {})
        for field, said in ("first_name", "firstName"), ("last_name", "lastName"):
            if value := user.get("name", {}).get(said):
                person[field] = value[:100]
        person["email"] = claims.get("email", person.get("email"))


def begin(claims: dict, client_id: str, tokens: dict, challenge: str = "") -> str:
    """Our own session, as long as we like, with Pippin's refresh token beside it."""
    session = secrets.token_urlsafe(32)
    with changing():
        sessions[digest(session + challenge)] = {
            "sub": claims["sub"], "client_id": client_id, "refresh_token": tokens["refresh_token"],
            "checked": int(time.time()), "ended": False}
    return session


def finish_sign_outs() -> None:
    """One call per token. A call that fails is repeated at the next sign-out and the next start."""
    for key, session in [(key, one) for key, one in list(sessions.items()) if one["ended"]]:
        try:
            call("sign-out", session["client_id"], sub=session["sub"], refresh_token=session["refresh_token"])
            with changing():
                sessions.pop(key, None)
        except Problem as problem:
            print(f"A sign-out waits: {problem.args[1]}", file=sys.stderr)


class Handler(BaseHTTPRequestHandler):
    def answer(self):
        routes = {"GET /": lambda: self.send(200, PAGE), "GET /me": self.me, "GET /sign-in": self.sign_in,
                  "POST /callback": self.callback, "POST /native": self.native, "POST /sign-out": self.sign_out,
                  "POST /delete-account": self.delete_account}
        address = urlsplit(self.path)
        if f"{self.command} {address.path}" not in routes:
            return self.send(404, {"error": "not_found"})
        body = self.rfile.read(min(int(self.headers.get("Content-Length") or 0), 65536)).decode()
        self.form = dict(parse_qsl(body or address.query))
        self.cookies = {name: morsel.value for name, morsel in SimpleCookie(self.headers.get("Cookie")).items()}
        # What this browser began: the state and the nonce that went along, and the challenge of an Android app.
        self.state, self.nonce, self.challenge = (self.cookies.get("attempt", "") + "..").split(".")[:3]
        try:
            routes[f"{self.command} {address.path}"]()
        except Problem as problem:
            status, word = problem.args
            where = {"Location": f"/?error={quote(word)}"} if address.path == "/callback" else {}
            self.send(303 if where else status, {"error": word}, where)

    do_GET = do_POST = answer

    def sign_in(self):
        state, nonce = secrets.token_urlsafe(16), secrets.token_urlsafe(16)
        query = urlencode({
            "client_id": CLIENT_ID, "redirect_uri": f"{ORIGIN}/callback", "response_type": "code id_token",
            "response_mode": "form_post", "scope": "name email", "state": state, "nonce": nonce})
        # The answer is a POST from another site: browsers add no cookie to it but one that is SameSite=None.
        attempt = cookie("attempt", f"{state}.{nonce}.{quote(self.form.get('challenge', ''))}", 1800, "None")
        self.send(303, {}, attempt | {"Location": f"{BASE_URL}/auth/authorize?{query}"})

    def callback(self):
        # Else a link could sign people in as its sender. Constant time: no value is found letter by letter.
        if not self.state or not hmac.compare_digest(self.form.get("state", "").encode(), self.state.encode()):
            raise Problem(403, "other_browser")
        if "error" in self.form:
            raise Problem(400, self.form["error"])
        claims = verify(self.form.get("id_token", ""), CLIENT_ID, self.nonce)
        # Before the code is spent, which can fail: the name does not come again.
        remember(claims, json.loads(self.form.get("user", "{}")))
        tokens = call("token", CLIENT_ID, grant_type="authorization_code", code=self.form.get("code", ""),
                      redirect_uri=f"{ORIGIN}/callback")
        if verify(tokens["id_token"], CLIENT_ID, self.nonce)["sub"] != claims["sub"]:
            raise Problem(400, "bad_token")
        session = begin(claims, CLIENT_ID, tokens, self.challenge)
        # An app's session goes through the page and opens nothing without the app's secret; a browser's is a cookie.
        self.send(303, {}, {"Location": f"/?session={session}"} if self.challenge else
                  {"Location": "/", **cookie("session", session)})

    def native(self):
        """What Apple's own sheet gave an iOS app, which keeps the name until this has answered 200."""
        tokens = call("native", BUNDLE_ID, **self.form)
        remember(claims := verify(tokens["id_token"], BUNDLE_ID), tokens.get("user", {}))
        self.send(200, {"session": begin(claims, BUNDLE_ID, tokens)})

    def session(self):
        """The session of a request: a cookie from a browser, a Bearer token from an app, on Android with a secret."""
        bearer = self.headers.get("Authorization", "").removeprefix("Bearer ")
        token, _, secret = (bearer or self.cookies.get("session", "")).partition(".")
        session = sessions.get(key := digest(token + (digest(secret) if secret else "")))
        if not session or session["ended"]:
            raise Problem(401, "signed_out")
        if time.time() - session["checked"] >= CHECK_SECONDS:
            self.check(key, session)
        return key, session

    def check(self, key, session):
        """Checks with Pippin, once a day, that the user still uses this app."""
        try:
            call("token", session["client_id"], grant_type="refresh_token", refresh_token=session["refresh_token"])
            with changing():
                session["checked"] = int(time.time())
        except Problem as problem:
            if problem.args[1] == "invalid_grant":  # Other failures do not sign the user out.
                with changing():
                    sessions.pop(key, None)
                raise Problem(401, "signed_out") from problem

    def me(self):
        _, session = self.session()
        self.send(200, {"sub": session["sub"]} | people.get(session["sub"], {}))

    def sign_out(self):
        """Signs out here at once, whatever Pippin answers; with `everywhere`, on the user's other devices too."""
        key, session = self.session()
        with changing():
            for other, one in sessions.items():
                one["ended"] |= other == key or ("everywhere" in self.form and one["sub"] == session["sub"])
        finish_sign_outs()
        self.send(200, {}, cookie("session", "", 0))

    def delete_account(self):
        """Pippin first: it revokes every token, Apple's too, and answers a repeated request with the same receipt."""
        _, session = self.session()
        try:
            receipt = call("delete-account", session["client_id"], sub=session["sub"])
        except Problem as problem:
            if problem.args[1] != "invalid_request":
                raise
            receipt = {}  # Pippin does not know them any more: they stopped using the app.
        with changing():
            people.pop(session["sub"], None)
            for key in [key for key, one in sessions.items() if one["sub"] == session["sub"]]:
                del sessions[key]
        self.send(200, {"receipt_url": receipt.get("receipt_url")}, cookie("session", "", 0))

    def send(self, status, answer, headers={}):
        kind = "text/html" if answer is PAGE else "application/json"
        body = answer if answer is PAGE else json.dumps(answer).encode()
        self.send_response(status)
        for name, value in ({"Content-Type": f"{kind}; charset=utf-8", "Cache-Control": "no-store"} | headers).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def cookie(name: str, value: str, age: int = 31_536_000, same_site: str = "Lax") -> dict:
    """With Lax, no form on another site can sign a user out or delete an account."""
    return {"Set-Cookie": f"{name}={value}; Path=/; Max-Age={age}; HttpOnly; Secure; SameSite={same_site}"}


finish_sign_outs()
print(f"Listening on http://127.0.0.1:{PORT} for {ORIGIN}", flush=True)
ThreadingHTTPServer(("127.0.0.1", PORT), Handler).serve_forever()
