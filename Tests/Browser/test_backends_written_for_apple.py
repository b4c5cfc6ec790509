"""Backends as teams wrote them for `https://appleid.apple.com`: here the host is another, and nothing else of them."""

import base64
import json
import time
import urllib.parse
from collections.abc import Iterator

import jwt
import pytest
import requests
from playwright.sync_api import Page, Route

import database
import logs
from cast import SigningKey
from server import Pippin, free_port
from waiting import SECONDS

TEAM, BUNDLE_ID = "DEMOTEAM01", "example.acme.shop"
KEY = SigningKey("WRITTENKEY")
ORIGIN = f"http://127.0.0.1:{free_port()}"
WEB, JAVA, STUDY = "example.acme.webapp", "example.acme.servlet", "example.acme.study"
RETURN_URLS = {WEB: f"{ORIGIN}/callback", JAVA: f"{ORIGIN}/apple/redirect", STUDY: f"{ORIGIN}/auth/callback?type=appleid"}


@pytest.fixture(scope="module")
def pippin(secrets: set[str]) -> Iterator[Pippin]:
    """The demo, whose tokens name the issuer that such backends compare with."""
    with Pippin.running("--demo", "--simulate-apple") as server:
        services = [
            {"identifier": client, "description": client, "domains": ["127.0.0.1"], "returnURLs": [url], "issuer": "apple"}
            for client, url in RETURN_URLS.items()
        ]
        app = {"identifier": BUNDLE_ID, "description": "Acme", "issuer": "apple", "serviceIDs": services}
        key = {"id": KEY.id, "name": "Backends", "appID": BUNDLE_ID, "publicKeyPEM": KEY.public_pem}
        # Websites that expect Apple's issuer and an app whose backend verifies its device's tokens, by one key set.
        team = {"id": TEAM, "appleKeys": "always", "appIDs": [app], "keys": [key]}
        server.apply({"teams": [team]}, "--accept-apple-tokens")
        yield server
        server.stop()
        assert logs.leaks([server.log, *server.data.rglob("*.log")], secrets) == []


@pytest.fixture
def host(pippin: Pippin) -> str:
    """What stands here in place of `https://appleid.apple.com`."""
    return f"{pippin.url}/t/{TEAM}"


def client_secret(client_id: str, days: int) -> str:
    now = int(time.time())
    claims = {"iss": TEAM, "iat": now, "exp": now + days * 86_400, "aud": "https://appleid.apple.com", "sub": client_id}
    return jwt.encode(claims, KEY.private_pem, algorithm="ES256", headers={"kid": KEY.id})


def visit(page: Page, address: str, person: str) -> dict[str, str]:
    """Has a person sign in at Apple, and returns the form that their browser posts to the backend."""
    posted: list[dict[str, str]] = []

    def receive(route: Route) -> None:
        posted.append(dict(urllib.parse.parse_qsl(route.request.post_data)))
        route.fulfill(body="Welcome")

    page.route(lambda url: url.startswith(ORIGIN), receive)
    page.goto(address)
    page.get_by_role("link", name="Continue with Apple").click()
    page.get_by_role("button", name=person).click()
    page.get_by_text("Welcome").wait_for()
    return posted[-1]


def expect_ended_at_apple(pippin: Pippin, sub: str) -> None:
    """Waits until what ended here has ended at Apple, and Apple has told so: told later, it would end what comes then."""
    database.until(pippin, """
        SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM upstream_tokens WHERE sub = :'sub' AND state IN ('live', 'ending'))
            AND NOT EXISTS (SELECT 1 FROM notifications WHERE team_id = 'APPLESIM00' AND state = 'pending')
    """, sub=sub)


class NativeBackend:
    """Behind an iOS app: it verifies the app's identity token, then redeems the app's code, and knows no return URL."""

    def __init__(self, host: str, issuer: str):
        self.host, self.issuer = host, issuer
        self.secret = client_secret(BUNDLE_ID, days=180)

    def verify(self, token: str, issuer: str) -> dict:
        kid = jwt.get_unverified_header(token)["kid"]
        [key] = [key for key in requests.get(f"{self.host}/auth/keys", timeout=SECONDS).json()["keys"] if key["kid"] == kid]
        return jwt.decode(token, jwt.PyJWK(key), algorithms=["RS256"], audience=BUNDLE_ID, issuer=issuer)

    def sign_in(self, identity_token: str, authorization_code: str) -> dict:
        sub = self.verify(identity_token, self.issuer)["sub"]
        tokens = self.token(grant_type="authorization_code", code=authorization_code)
        # What the token address answers bears the literal, as at Apple.
        assert self.verify(tokens["id_token"], "https://appleid.apple.com")["sub"] == sub
        return tokens

    def token(self, **fields: str) -> dict:
        form = {"client_id": BUNDLE_ID, "client_secret": self.secret, **fields}
        return requests.post(f"{self.host}/auth/token", form, timeout=SECONDS).json()

    def revoke(self, token: str) -> int:
        form = {"client_id": BUNDLE_ID, "client_secret": self.secret, "token": token, "token_type_hint": "refresh_token"}
        return requests.post(f"{self.host}/auth/revoke", form, timeout=SECONDS).status_code


def test_a_backend_of_an_ios_app(pippin: Pippin, host: str, secrets: set[str]):
    # The simulator's tokens bear its own name; Apple's bear the literal.
    backend = NativeBackend(host, f"{pippin.url}/t/APPLESIM00")

    def sheet() -> dict:
        form = {"client_id": BUNDLE_ID, "person": "regular"}
        answer = requests.post(f"http://127.0.0.1:{pippin.port}/apple/device", form, timeout=SECONDS,
                               headers={"Host": f"apple.localhost:{pippin.port}"})
        return answer.json()

    for _ in range(2):
        given = sheet()
        assert given["first_name"] == "Rita", "the first sheet, and the first one after the end"
        tokens = backend.sign_in(given["identity_token"], given["code"])
        assert set(tokens) == {"access_token", "token_type", "expires_in", "refresh_token", "id_token"}
        secrets.update(tokens[name] for name in ("access_token", "refresh_token", "id_token"))
        refreshed = backend.token(grant_type="refresh_token", refresh_token=tokens["refresh_token"])
        assert "refresh_token" not in refreshed
        assert backend.verify(refreshed["id_token"], "https://appleid.apple.com")["sub"] == given["user"]
        assert backend.revoke(tokens["refresh_token"]) == 200
        assert backend.token(grant_type="refresh_token", refresh_token=tokens["refresh_token"])["error"] == "invalid_grant"
        expect_ended_at_apple(pippin, given["user"])


class WebBackend:
    """Behind a website and an Android app: their browsers post the code, and PyJWT picks the key by `kid`."""

    def __init__(self, host: str):
        self.host = host
        self.client = {"client_id": WEB, "client_secret": client_secret(WEB, days=30)}
        self.people: dict[str, dict] = {}

    def address(self, state: str) -> str:
        asked = {"client_id": WEB, "redirect_uri": RETURN_URLS[WEB], "response_type": "code", "scope": "name email",
                 "response_mode": "form_post", "state": state}
        return f"{self.host}/auth/authorize?{urllib.parse.urlencode(asked)}"

    def callback(self, form: dict[str, str], state: str) -> dict:
        assert form["state"] == state
        fields = self.client | {"grant_type": "authorization_code", "code": form["code"]}
        tokens = requests.post(f"{self.host}/auth/token", fields, timeout=SECONDS).json()
        key = jwt.PyJWKClient(f"{self.host}/auth/keys").get_signing_key_from_jwt(tokens["id_token"])
        claims = jwt.decode(tokens["id_token"], key.key, ["RS256"], audience=WEB, issuer="https://appleid.apple.com")
        person = self.people.setdefault(claims["sub"], {"email": claims["email"], "tokens": []})
        # The name comes once.
        person |= json.loads(form.get("user", "{}")).get("name", {})
        person["tokens"].append(tokens["refresh_token"])
        return person

    def is_valid(self, token: str) -> bool:
        fields = self.client | {"grant_type": "refresh_token", "refresh_token": token}
        return "access_token" in requests.post(f"{self.host}/auth/token", fields, timeout=SECONDS).json()

    def delete(self, sub: str) -> None:
        for token in self.people.pop(sub)["tokens"]:
            requests.post(f"{self.host}/auth/revoke", self.client | {"token": token}, timeout=SECONDS).raise_for_status()


def test_a_backend_of_a_website_and_an_android_app(pippin: Pippin, host: str, page: Page, new_context, secrets: set[str]):
    backend = WebBackend(host)
    person = backend.callback(visit(page, backend.address("s1"), "Hiro Hidden"), "s1")
    assert (person["firstName"], person["lastName"]) == ("Hiro", "Hidden")
    assert person["email"].endswith("@privaterelay.appleid.com")
    phone = new_context("phone").new_page()
    form = visit(phone, backend.address("s2"), "Hiro Hidden")
    assert "user" not in form
    assert backend.callback(form, "s2") is person and person["firstName"] == "Hiro"
    [(sub, person)] = backend.people.items()
    secrets.update(person["tokens"])
    assert [backend.is_valid(token) for token in person["tokens"]] == [True, True]
    backend.delete(sub)
    assert [backend.is_valid(token) for token in person["tokens"]] == [False, False]
    expect_ended_at_apple(pippin, sub)
    assert "user" in visit(page, backend.address("s3"), "Hiro Hidden"), "and it is a first sign-in again"


class SavingBackend:
    """Keeps what came before it asks anything, refreshes everybody once a day, and revokes token by token."""

    def __init__(self, host: str):
        self.host = host
        self.came: list[dict] = []
        self.accounts: dict[str, set[str]] = {}

    def address(self) -> str:
        # Its library quotes by %20, and leaves the slashes of the return URL as they are.
        scope, url = urllib.parse.quote("name email"), urllib.parse.quote(RETURN_URLS[JAVA], safe=":/")
        return (f"{self.host}/auth/authorize?response_type=code%20id_token&response_mode=form_post&client_id={JAVA}"
                f"&redirect_uri={url}&scope={scope}&nonce=n-0S6")

    def redirect(self, code: str, id_token: str, user: str | None = None) -> str:
        self.came.append(json.loads(user or "{}"))
        early = self.decode(id_token)
        answer = self.post("token", grant_type="authorization_code", code=code)
        assert answer.status_code == 200, answer.text
        tokens = answer.json()
        claims = self.decode(tokens["id_token"])
        assert claims["sub"] == early["sub"] and claims["nonce"] == early["nonce"] == "n-0S6"
        self.accounts.setdefault(claims["sub"], set()).add(tokens["refresh_token"])
        return claims["sub"]

    def decode(self, token: str) -> dict:
        keys = {key["kid"]: key for key in requests.get(f"{self.host}/auth/keys", timeout=SECONDS).json()["keys"]}
        key = jwt.PyJWK(keys[jwt.get_unverified_header(token)["kid"]])
        return jwt.decode(token, key, ["RS256"], audience=JAVA, issuer="https://appleid.apple.com")

    def refresh_daily(self) -> None:
        for sub, tokens in self.accounts.items():
            answers = {token: self.post("token", grant_type="refresh_token", refresh_token=token) for token in tokens}
            self.accounts[sub] = {token for token, answer in answers.items() if answer.status_code == 200}

    def delete(self, sub: str) -> list[int]:
        return [self.post("revoke", token=token, token_type_hint="refresh_token").status_code
                for token in self.accounts.pop(sub)]

    def post(self, path: str, **fields: str) -> requests.Response:
        form = fields | {"client_id": JAVA, "client_secret": client_secret(JAVA, days=1)}
        kind = {"Content-Type": "application/x-www-form-urlencoded; charset=UTF-8"}
        return requests.post(f"{self.host}/auth/{path}", form, headers=kind, timeout=SECONDS)


def test_a_backend_that_saves_first_and_revokes_one_by_one(pippin: Pippin, host: str, page: Page, secrets: set[str]):
    backend = SavingBackend(host)
    forms = [visit(page, backend.address(), "Mina Managed") for _ in range(2)]
    subs = {backend.redirect(**form) for form in forms}
    assert backend.came[0]["name"] == {"firstName": "Mina", "lastName": "Managed"}
    [sub] = subs
    tokens = set(backend.accounts[sub])
    secrets.update(tokens)
    backend.refresh_daily()
    assert len(tokens) == 2 and backend.accounts == {sub: tokens}
    assert backend.delete(sub) == [200, 200], "the second one ended with the first"
    backend.accounts = {sub: tokens}
    backend.refresh_daily()
    assert backend.accounts == {sub: set()}
    expect_ended_at_apple(pippin, sub)


class FirstKeyBackend:
    """Has a query in its return URL, compares the issuer with the literal, and takes the first key of the set."""

    def __init__(self, host: str):
        self.host = host
        self.client = f"client_id={STUDY}&client_secret={client_secret(STUDY, days=150)}"

    def address(self) -> str:
        url = urllib.parse.quote(RETURN_URLS[STUDY], safe="")
        return (f"{self.host}/auth/authorize?client_id={STUDY}&redirect_uri={url}"
                "&response_type=code&scope=email%20name&response_mode=form_post&state=fjhDfg3d")

    def sign_in(self, form: dict[str, str]) -> tuple[dict, dict]:
        url = urllib.parse.quote(RETURN_URLS[STUDY], safe="")
        tokens = self.post("token", f"grant_type=authorization_code&code={form['code']}&redirect_uri={url}").json()
        first = requests.get(f"{self.host}/auth/keys", timeout=SECONDS).json()["keys"][0]
        head, body, signature = tokens["id_token"].split(".")
        key, signed = jwt.PyJWK(first).key, f"{head}.{body}".encode()
        assert jwt.algorithms.RSAAlgorithm(jwt.algorithms.RSAAlgorithm.SHA256).verify(signed, key, self.octets(signature))
        claims = json.loads(self.octets(body))
        assert claims["iss"] == "https://appleid.apple.com" and claims["aud"] == STUDY and claims["exp"] > claims["iat"]
        return tokens, claims

    def post(self, path: str, fields: str) -> requests.Response:
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        return requests.post(f"{self.host}/auth/{path}", f"{self.client}&{fields}", headers=kind, timeout=SECONDS)

    @staticmethod
    def octets(text: str) -> bytes:
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def test_a_backend_that_takes_the_first_key_and_the_literal_issuer(pippin: Pippin, host: str, page: Page, secrets: set[str]):
    backend = FirstKeyBackend(host)
    form = visit(page, backend.address(), "Cleo Child")
    assert form["state"] == "fjhDfg3d" and json.loads(form["user"])["name"]["firstName"] == "Cleo"
    tokens, claims = backend.sign_in(form)
    refresh_token = tokens["refresh_token"]
    secrets.update([refresh_token, tokens["access_token"]])
    refreshed = backend.post("token", f"grant_type=refresh_token&refresh_token={refresh_token}").json()
    assert backend.octets(refreshed["id_token"].split(".")[1]) and "access_token" in refreshed
    assert backend.post("revoke", f"token={refresh_token}").status_code == 200
    assert backend.post("token", f"grant_type=refresh_token&refresh_token={refresh_token}").status_code == 400
    expect_ended_at_apple(pippin, claims["sub"])
    again = visit(page, backend.address(), "Cleo Child")
    assert "user" in again, "and it is a first sign-in again"
    assert backend.sign_in(again)[1]["sub"] == claims["sub"]
