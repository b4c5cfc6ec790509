"""The backends of docs/samples sign people in who come from Apple by way of Pippin, and keep what comes once."""

import hashlib
import time
import urllib.parse
from collections.abc import Iterator
from pathlib import Path

import jwt
import pytest
import requests
from playwright.sync_api import Page, Request, Route, expect

import database
import logs
import page_checks
from cast import SigningKey
from sample_backend import LANGUAGES, SampleBackend
from sample_phone import Phone
from server import Pippin, free_port
from waiting import SECONDS, until

# Each of them is as good as another for `make test`, and two take less time.
BACKENDS = [pytest.param(name, marks=[] if name in ("go", "python") else pytest.mark.long) for name in LANGUAGES]
TEAM, APP_ID = "DEMOTEAM01", "example.acme.shop"
KEY = SigningKey("SAMPLEKEY1")


@pytest.fixture(scope="module")
def backends() -> dict[str, SampleBackend]:
    return {language: SampleBackend(language) for language in LANGUAGES}


@pytest.fixture(scope="module")
def pippin(backends: dict[str, SampleBackend], secrets: set[str]) -> Iterator[Pippin]:
    """The demo, whose app is connected to the Apple simulator, with a Service ID for each backend."""
    with Pippin.running("--demo", "--simulate-apple") as server:
        service_ids = [
            {
                "identifier": backend.client_id, "description": f"Acme in {language}", "domains": ["127.0.0.1"],
                "returnURLs": [backend.return_url],
            }
            for language, backend in backends.items()
        ]
        key = {"id": KEY.id, "name": "Samples", "appID": APP_ID, "publicKeyPEM": KEY.public_pem}
        app = {"identifier": APP_ID, "description": "Acme", "serviceIDs": service_ids}
        server.apply({"teams": [{"id": TEAM, "appIDs": [app], "keys": [key]}]})
        for backend in backends.values():
            backend.use(f"{server.url}/t/{TEAM}", TEAM, KEY, APP_ID)
        yield server
        server.stop()
        assert logs.requests(server.log) > 0
        assert logs.leaks([server.log, *server.data.rglob("*.log")], secrets) == []


class Visit:
    """A person at a backend's page, and what Pippin's answers brought."""

    def __init__(self, page: Page, backend: SampleBackend):
        self.page, self.backend = page, backend
        self.answers: list[dict[str, str]] = []
        page.on("request", self._note)

    def _note(self, request: Request) -> None:
        if request.url == self.backend.return_url:
            self.answers.append(dict(urllib.parse.parse_qsl(request.post_data)))

    def sign_in(self, person: str, challenge: str | None = None) -> None:
        if challenge:
            self.page.goto(f"{self.backend.url}/sign-in?challenge={challenge}")
        else:
            self.page.goto(self.backend.url)
            self.page.get_by_role("link", name="Sign in").click()
        self.page.get_by_role("link", name="Continue with Apple").click()
        self.page.get_by_role("button", name=person).click()

    def press(self, name: str) -> None:
        self.page.get_by_role("button", name=name, exact=True).click()

    def expect_person(self, first_name: str, last_name: str) -> None:
        expect(self.page.get_by_role("heading", name=f"Hello {first_name}")).to_be_visible()
        expect(self.page.locator("#last_name")).to_have_text(last_name)

    def expect_nobody(self) -> None:
        expect(self.page.get_by_role("link", name="Sign in")).to_be_visible()


def ask(pippin: Pippin, backend: SampleBackend, path: str, **form: str) -> requests.Response:
    """Asks Pippin as the backend does."""
    now = int(time.time())
    claims = {"iss": TEAM, "sub": backend.client_id, "aud": f"{pippin.url}/t/{TEAM}", "iat": now, "exp": now + 300}
    secret = jwt.encode(claims, KEY.private_pem, algorithm="ES256", headers={"kid": KEY.id})
    form = {"client_id": backend.client_id, "client_secret": secret, **form}
    return requests.post(f"{pippin.url}/t/{TEAM}/auth/{path}", form, timeout=SECONDS)


def refresh_tokens(backend: SampleBackend, secrets: set[str]) -> list[str]:
    tokens = [session["refresh_token"] for session in backend.data["sessions"].values()]
    secrets.update(tokens)
    return tokens


def is_active(pippin: Pippin, backend: SampleBackend, token: str) -> bool:
    return ask(pippin, backend, "introspect", token=token).json()["active"]


def wait_until_apple_knows(pippin: Pippin) -> None:
    """Waits until what ended here has ended at Apple, and Apple has told so: told later, it would end what comes then."""
    database.until(pippin, """
        SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM upstream_tokens WHERE state = 'ending')
            AND NOT EXISTS (SELECT 1 FROM notifications WHERE team_id = 'APPLESIM00' AND state = 'pending')
    """)


def expect_all_revoked(pippin: Pippin, receipt_url: str) -> None:
    """Waits until a deletion's receipt says that every token is revoked, Apple's too."""
    receipt = {}

    def is_done() -> bool:
        nonlocal receipt
        receipt = requests.get(receipt_url, headers={"Accept": "application/json"}, timeout=SECONDS).json()
        return receipt["tokens"] != [] and all(token["fate"] == "revoked" for token in receipt["tokens"])

    until(is_done, lambda: receipt)
    wait_until_apple_knows(pippin)


@pytest.mark.parametrize("language", BACKENDS)
def test_a_backend_keeps_what_comes_once(
    language: str, pippin: Pippin, backends: dict[str, SampleBackend], new_context, secrets: set[str]
):
    backend = backends[language]
    visit = Visit(new_context().new_page(), backend)
    # CHECK_SECONDS: each request asks Pippin, as the first of a day does.
    with backend.running(CHECK_SECONDS="0"):
        visit.sign_in("Hiro Hidden")
        visit.expect_person("Hiro", "Hidden")
        assert page_checks.faults(visit.page) == []
        assert "user" in visit.answers[-1] and "id_token" in visit.answers[-1]
        email, sub = visit.page.locator("#email").inner_text(), visit.page.locator("#sub").inner_text()
        assert email.endswith("@privaterelay.appleid.com")
        assert backend.data["people"][sub] == {"first_name": "Hiro", "last_name": "Hidden", "email": email}
        [token] = refresh_tokens(backend, secrets)
        assert is_active(pippin, backend, token)

        # On another device: no name comes, and it is there.
        other = Visit(new_context("phone").new_page(), backend)
        other.sign_in("Hiro Hidden")
        other.expect_person("Hiro", "Hidden")
        assert "user" not in other.answers[-1]
        [others_token] = set(refresh_tokens(backend, secrets)) - {token}

    # Pippin cannot be reached: sessions go on, and a sign-out works at once.
    with backend.running(CHECK_SECONDS="0", BASE_URL=f"http://127.0.0.1:{free_port()}/t/{TEAM}"):
        other.page.reload()
        other.expect_person("Hiro", "Hidden")
        visit.press("Sign out")
        visit.expect_nobody()
        assert is_active(pippin, backend, token)

    # The token ends with the next start, and the name is there though none comes.
    with backend.running(CHECK_SECONDS="0"):
        assert refresh_tokens(backend, secrets) == [others_token] and not is_active(pippin, backend, token)
        visit.sign_in("Hiro Hidden")
        visit.expect_person("Hiro", "Hidden")
        assert "user" not in visit.answers[-1]

        # Pippin ends a session: the next check says so.
        assert ask(pippin, backend, "sign-out", sub=sub, refresh_token=others_token).status_code == 200
        other.page.reload()
        other.expect_nobody()
        other.sign_in("Hiro Hidden")
        other.expect_person("Hiro", "Hidden")

        tokens = refresh_tokens(backend, secrets)
        assert [is_active(pippin, backend, token) for token in tokens] == [True, True]
        other.press("Sign out everywhere")
        other.expect_nobody()
        visit.page.reload()
        visit.expect_nobody()
        assert backend.data["sessions"] == {}
        assert [is_active(pippin, backend, token) for token in tokens] == [False, False]
        wait_until_apple_knows(pippin)

        visit.sign_in("Hiro Hidden")
        visit.expect_person("Hiro", "Hidden")
        [token] = refresh_tokens(backend, secrets)
        visit.page.once("dialog", lambda dialog: dialog.accept())
        visit.press("Delete account")
        visit.expect_nobody()
        receipt = visit.page.get_by_role("link", name="What became of your data").get_attribute("href")
        assert sub not in backend.data["people"] and backend.data["sessions"] == {}
        assert not is_active(pippin, backend, token)
        expect_all_revoked(pippin, receipt)


@pytest.mark.parametrize("language", BACKENDS)
def test_a_backend_refuses_what_this_browser_did_not_begin_and_loses_no_name(
    language: str, pippin: Pippin, backends: dict[str, SampleBackend], page: Page
):
    backend = backends[language]
    with backend.running():
        # A code that Pippin refuses, after the name has come.
        def spoil(route: Route) -> None:
            form = dict(urllib.parse.parse_qsl(route.request.post_data)) | {"code": "c0"}
            route.continue_(post_data=urllib.parse.urlencode(form))

        page.route(backend.return_url, spoil)
        visit = Visit(page, backend)
        visit.sign_in("Mina Managed")
        expect(page.get_by_text("This sign-in took too long")).to_be_visible()
        people = backend.data["people"].values()
        assert ("Mina", "Managed") in [(person["first_name"], person["last_name"]) for person in people]
        assert backend.data["sessions"] == {}

        # The answer of another browser, of another sign-in in this browser, and one with a wrong nonce.
        form = visit.answers[-1]
        for cookie in ("", f"attempt={form['state'][:-1]}.n.", f"attempt={form['state']}.another-nonce."):
            answer = requests.post(
                backend.return_url, form, headers={"Cookie": cookie}, allow_redirects=False, timeout=SECONDS
            )
            assert answer.status_code == 303 and answer.headers["Location"].startswith("/?error="), cookie
            assert "session" not in answer.cookies
        page.unroute_all()

        def forge(route: Route) -> None:
            form = dict(urllib.parse.parse_qsl(route.request.post_data))
            head, claims, signature = form["id_token"].split(".")
            form["id_token"] = f"{head}.{claims}.{signature[:-8]}AAAAAAAA"
            route.continue_(post_data=urllib.parse.urlencode(form))

        page.route(backend.return_url, forge)
        visit.sign_in("Mina Managed")
        expect(page.get_by_text("(bad_token)")).to_be_visible()
        page.unroute_all()
        visit.sign_in("Rolf Reluctant")
        expect(page.get_by_text("You cancelled.")).to_be_visible()
        visit.expect_nobody()


@pytest.mark.parametrize("language", BACKENDS)
def test_a_backend_takes_what_an_ios_app_got_from_apple(
    language: str, pippin: Pippin, backends: dict[str, SampleBackend], secrets: set[str]
):
    backend = backends[language]
    nonce = "n" * 32
    device = {"client_id": APP_ID, "person": "regular", "nonce": hashlib.sha256(nonce.encode()).hexdigest()}
    with backend.running():
        given = requests.post(f"http://127.0.0.1:{pippin.port}/apple/device", device, timeout=SECONDS,
                              headers={"Host": f"apple.localhost:{pippin.port}"})
        handover = given.json() | {"nonce": nonce}
        answer = requests.post(f"{backend.url}/native", handover, timeout=SECONDS)
        assert answer.status_code == 200, answer.text
        bearer = {"Authorization": f"Bearer {answer.json()['session']}"}
        person = requests.get(f"{backend.url}/me", headers=bearer, timeout=SECONDS).json()
        assert person == {
            "sub": handover["user"], "first_name": "Rita", "last_name": "Regular", "email": "rita@icloud.example"
        }
        refresh_tokens(backend, secrets)
        again = requests.post(f"{backend.url}/native", handover | {"code": "c0"}, timeout=SECONDS)
        assert again.status_code == 400
        answer = requests.post(f"{backend.url}/delete-account", headers=bearer, timeout=SECONDS)
        assert answer.status_code == 200
        assert requests.get(f"{backend.url}/me", headers=bearer, timeout=SECONDS).status_code == 401
        expect_all_revoked(pippin, answer.json()["receipt_url"])


@pytest.mark.parametrize("language", BACKENDS)
def test_a_backend_leads_back_into_the_android_app_that_began(
    language: str, pippin: Pippin, backends: dict[str, SampleBackend], page: Page, secrets: set[str]
):
    backend = backends[language]
    secret = "s" * 43
    with backend.running():
        Visit(page, backend).sign_in("Cleo Child", hashlib.sha256(secret.encode()).hexdigest())
        link = page.get_by_role("link", name="Back to the app").get_attribute("href")
        address, _, intent = link.partition("#")
        assert intent == "Intent;scheme=com.example.app;package=com.example.app;end"
        [session] = urllib.parse.parse_qs(urllib.parse.urlsplit(address).query)["session"]
        secrets.update([session, *refresh_tokens(backend, secrets)])

        def me(bearer: str) -> requests.Response:
            return requests.get(f"{backend.url}/me", headers={"Authorization": f"Bearer {bearer}"}, timeout=SECONDS)

        assert me(session).status_code == 401
        assert me(f"{session}.{'t' * 43}").status_code == 401
        own = f"{session}.{secret}"
        assert me(own).json()["first_name"] == "Cleo"
        bearer = {"Authorization": f"Bearer {own}"}
        answer = requests.post(f"{backend.url}/delete-account", headers=bearer, timeout=SECONDS)
        expect_all_revoked(pippin, answer.json()["receipt_url"])


@pytest.mark.parametrize("language", BACKENDS)
def test_a_backend_says_what_is_missing(language: str, backends: dict[str, SampleBackend]):
    status, said = backends[language].refusal()
    assert status == 1
    for name in ("BASE_URL", "TEAM_ID", "CLIENT_ID", "KEY_ID", "KEY_FILE", "ORIGIN"):
        assert f"  {name}: " in said
    status, said = backends[language].refusal(TEAM_ID=TEAM, KEY_ID="K")
    assert status == 1 and "BASE_URL" in said and "TEAM_ID" not in said
    values = dict.fromkeys(("BASE_URL", "TEAM_ID", "CLIENT_ID", "KEY_ID", "ORIGIN"), "x")
    no_key = backends[language].folder / "no-key"
    no_key.write_text("no key")
    for file in (Path("/nowhere/AuthKey.p8"), no_key):
        status, said = backends[language].refusal(KEY_FILE=str(file), **values)
        assert status == 1 and f"Cannot read KEY_FILE, {file}, or page.html" in said


def test_the_ios_app_keeps_the_name_until_the_server_has_it(
    pippin: Pippin, backends: dict[str, SampleBackend], secrets: set[str]
):
    backend = backends["python"]
    phone = Phone(APP_ID, f"http://apple.localhost:{pippin.port}/apple/device")
    away = f"http://127.0.0.1:{free_port()}"
    rita = ["person Rita Regular rita@icloud.example"]
    with backend.running():
        assert phone.launch(away, "sign-in", PERSON="regular") == ["failed tryLater", "nobody"]
        assert phone.keychain["handover"]["first_name"] == "Rita"
        assert phone.launch(backend.url) == rita
        assert set(phone.keychain) == {"session", "person"}
        assert phone.launch(away) == rita
        refresh_tokens(backend, secrets)

        assert phone.launch(away, "sign-out") == ["nobody"]
        assert set(phone.keychain) == {"ended"} and len(backend.data["sessions"]) == 1
        assert phone.launch(backend.url) == ["nobody"]
        assert phone.keychain == {} and backend.data["sessions"] == {}
        wait_until_apple_knows(pippin)

        # Apple says that the person stopped using the app.
        assert phone.launch(backend.url, "sign-in", PERSON="regular") == rita
        refresh_tokens(backend, secrets)
        assert phone.launch(backend.url, STATE="revoked") == ["nobody"]
        assert backend.data["sessions"] == {}
        wait_until_apple_knows(pippin)

        assert phone.launch(backend.url, "sign-in", PERSON="regular") == rita
        refresh_tokens(backend, secrets)
        receipt, nobody = phone.launch(backend.url, "delete")
        assert nobody == "nobody" and phone.keychain == {} and backend.data["sessions"] == {}
        assert "Rita" not in backend.data_file.read_text()
        expect_all_revoked(pippin, receipt.removeprefix("receipt "))

        # A code that has ended meanwhile: another sheet brings no name, and the one before is still there.
        assert phone.launch(away, "sign-in", PERSON="regular") == ["failed tryLater", "nobody"]
        phone.keep("handover", phone.keychain["handover"] | {"code": "c0"})
        assert phone.launch(backend.url) == ["nobody"]
        phone.launch(away, "sign-in", PERSON="regular")
        assert phone.keychain["handover"]["first_name"] == "Rita" and phone.keychain["handover"]["code"] != "c0"
        assert phone.launch(backend.url) == rita
        refresh_tokens(backend, secrets)
        [receipt, _] = phone.launch(backend.url, "delete")
        expect_all_revoked(pippin, receipt.removeprefix("receipt "))
