"""Pippin dies at each step of a sign-in at Apple, as in a power cut, and comes back: the name is kept, and the person,
or the app, goes on.

The Apple simulator lives in the same process, so it dies along, and forgets what it was told to do wrong.
"""

import html
import re
import time
import urllib.parse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import jwt
import pytest
import requests

import database
import logs
from processes import TEAM, Host, hanging
from waiting import SECONDS

pytestmark = pytest.mark.long
NAME = {"firstName": "Rita", "lastName": "Regular"}


class Victim(Host):
    """A Pippin with the demo's team, and what its people and apps send."""

    def ask(self, statement: str) -> list[list[str]]:
        return database.rows(self, statement)

    def until(self, statement: str) -> None:
        """Waits until the statement yields a row."""
        database.until(self, statement)

    def forget(self) -> None:
        """Has nobody signed in yet, neither here nor at Apple, and nobody tried: what a kill cut off counts as a try."""
        self.ask("""
            DELETE FROM limits;
            DELETE FROM native_handovers; DELETE FROM upstream_announcements; DELETE FROM upstream_requests;
            DELETE FROM upstream_tokens;
            DELETE FROM consents; DELETE FROM refresh_tokens; DELETE FROM authorization_codes;
            DELETE FROM users WHERE (team_id, sub) IN (SELECT team_id, sub FROM upstream_identities);
        """)

    def knows_rita(self) -> bool:
        return self.ask("SELECT form_given_name FROM upstream_identities") == [["Rita"]]

    @contextmanager
    def held(self, table: str) -> Iterator[None]:
        """Nothing is written to a table, so that whoever wants to hangs at that point; they die before it goes on."""
        with database.held(self, table):
            try:
                yield
            finally:
                database.end_sessions(self)

    def die_writing(self, table: str, act: Callable[[], object], *signs: str) -> None:
        """Dies in the middle of `act`, once there are all the signs, and before anything is written to the table."""
        with self.held(table):
            request = hanging(act)
            for sign in signs:
                self.until(sign)
            database.until_held_up(self)
            self.kill()
            request.join()
        assert self.ask(f"SELECT 1 FROM {table}") == []


@pytest.fixture(scope="module")
def server(secrets: set[str]) -> Iterator[Victim]:
    with Victim.running("--demo", "--simulate-apple") as server:
        yield server
        server.stop()
        assert logs.leaks([server.log, *server.data.rglob("*.log")], secrets) == []
        assert logs.not_json(server.log) == []


@pytest.fixture
def victim(server: Victim) -> Victim:
    if server.process is None:
        server.start()
    server.let_apple("")
    server.forget()
    return server


def fields(page: str) -> dict[str, str]:
    """The hidden fields of a page's form."""
    found = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', page)
    return {name: html.unescape(value) for name, value in found}


class Visit:
    """Rita, in a browser of her own, on her way from the demo's app over Apple."""

    def __init__(self, victim: Victim):
        self.victim = victim
        self.browser = requests.Session()
        [[self.return_url]] = victim.ask("SELECT url FROM return_urls WHERE team_id = 'DEMOTEAM01'")
        self.back = ""

    def go(self) -> None:
        """From the app to Apple, which posts its answer."""
        self.go_by_link(self.begin())

    def begin(self) -> str:
        """From the app to the first page of ours."""
        asked = {
            "client_id": "example.acme.web", "redirect_uri": self.return_url, "response_type": "code",
            "response_mode": "form_post", "scope": "name email", "state": "s",
        }
        return self.browser.get(f"{self.victim.url}{TEAM}/auth/authorize", params=asked, timeout=SECONDS).text

    def go_by_link(self, page: str) -> None:
        """From a page of ours to Apple, which posts its answer."""
        self.come_back(self.leave(page))

    def leave(self, page: str) -> str:
        """From a page of ours to Apple's sheet."""
        [way] = set(re.findall(r'href="(/[^"]*/apple)"', page))
        return self.browser.get(self.victim.url + way, allow_redirects=False, timeout=SECONDS).headers["Location"]

    def come_back(self, location: str) -> None:
        """Apple's sheet is answered, and Apple posts what comes of it."""
        there = urllib.parse.urlsplit(location)
        sheet = requests.get(f"{self.victim.url}{there.path}?{there.query}", timeout=SECONDS).text
        [action] = re.findall(r'<form method="post" action="([^"]+)"', sheet)
        answer = requests.post(self.victim.url + action, {"person": "regular"}, timeout=SECONDS)
        posted = requests.post(f"{self.victim.url}{TEAM}/auth/callback/apple", fields(answer.text),
                               allow_redirects=False, timeout=SECONDS)
        assert posted.status_code == 303, posted.text
        self.back = posted.headers["Location"]

    def return_(self) -> requests.Response:
        """Back from Apple's answer to ours."""
        return self.browser.get(self.victim.url + self.back, timeout=SECONDS)

    def redeem(self, code: str) -> requests.Response:
        """What the app does with its code."""
        [[key]] = self.victim.ask("SELECT key_id FROM keys WHERE team_id = 'DEMOTEAM01'")
        now = int(time.time())
        claims = {"iss": "DEMOTEAM01", "iat": now, "exp": now + 300, "aud": f"{self.victim.url}{TEAM}",
                  "sub": "example.acme.web"}
        secret = jwt.encode(claims, (self.victim.data / "demo-app-key.pem").read_text(), "ES256", {"kid": key})
        return requests.post(f"{self.victim.url}{TEAM}/auth/token", {
            "client_id": "example.acme.web", "client_secret": secret, "grant_type": "authorization_code",
            "code": code, "redirect_uri": self.return_url,
        }, timeout=SECONDS)


APPLES_CODE_IS_SPENT = "SELECT 1 FROM authorization_codes WHERE team_id = 'APPLESIM00' AND redeemed_at IS NOT NULL"
NAME_IS_KEPT = "SELECT 1 FROM upstream_identities WHERE form_given_name = 'Rita'"
NAME_WAITS = "SELECT 1 FROM upstream_announcements WHERE form_given_name = 'Rita'"


# A browser: each step of the callback, and what Rita does once Pippin is back.


def posted(visit: Visit) -> None:
    """Apple has posted its answer, and the browser was not back yet."""
    visit.victim.kill()


def asking(fault: str) -> Callable[[Visit], None]:
    def asked(visit: Visit) -> None:
        """Apple is asked for its tokens, and has not answered."""
        visit.victim.let_apple(fault)
        request = hanging(visit.return_)
        visit.victim.until(NAME_IS_KEPT)
        visit.victim.kill()
        request.join()

    return asked


def broken(visit: Visit) -> None:
    """Apple has spent its code, and the connection broke: Rita was told to try again."""
    visit.victim.let_apple("broken")
    assert visit.return_().status_code == 503
    visit.victim.kill()


def unwritten(visit: Visit) -> None:
    """Apple has spent its code and given its tokens, which were not stored yet, nor the app's code."""
    visit.victim.die_writing("upstream_tokens", visit.return_, APPLES_CODE_IS_SPENT)


def reload(visit: Visit) -> dict[str, str]:
    """The same page once more: Apple's answer is still good."""
    return fields(visit.return_().text)


def ask_apple_again(visit: Visit) -> dict[str, str]:
    """The page says so, and has the way: Apple gives no name this time, so it comes from the vault."""
    page = visit.return_()
    assert page.status_code == 400, page.text
    visit.go_by_link(page.text)
    return fields(visit.return_().text)


@dataclass(frozen=True)
class Death:
    reach: Callable
    name: str
    go_on: Callable


@pytest.mark.parametrize("death", [
    Death(posted, "Apple has posted", reload),
    Death(asking("silent"), "Apple is silent", reload),
    Death(asking("slow"), "Apple is slow", reload),
    Death(broken, "the code is spent, the connection broken", ask_apple_again),
    Death(unwritten, "the code is spent, nothing written", ask_apple_again),
], ids=lambda death: death.name)
def test_a_browser_goes_on_after_a_kill_when(victim: Victim, death: Death):
    visit = Visit(victim)
    visit.go()
    death.reach(visit)
    victim.start()
    database.lapse(victim)

    answer = death.go_on(visit)

    assert victim.knows_rita()
    assert '"firstName":"Rita"' in answer["user"].replace(" ", "")
    tokens = visit.redeem(answer["code"])
    assert tokens.status_code == 200, tokens.text
    # What Apple gave is there to be given back.
    assert victim.ask("SELECT count(*) FROM upstream_tokens WHERE state = 'live'") == [["1"]]


@pytest.mark.parametrize("has_code", [True, False], ids=["has the app's code", "has nothing"])
def test_a_browser_goes_on_after_a_kill_when_it_was_answered_and(victim: Victim, has_code: bool):
    """The app redeems the code it was given before; a browser that never got its answer begins at the app again."""
    visit = Visit(victim)
    visit.go()
    answer = fields(visit.return_().text)
    victim.kill()
    victim.start()

    if not has_code:
        visit = Visit(victim)
        visit.go()
        answer = fields(visit.return_().text)
    assert '"firstName":"Rita"' in answer["user"].replace(" ", "")
    assert visit.redeem(answer["code"]).status_code == 200
    assert visit.redeem(answer["code"]).status_code == 400


# An app: each step of what it hands over, and what it sends once Pippin is back.


class App:
    """The demo's app on a device, where Rita saw Apple's own sheet."""

    def __init__(self, victim: Victim, has_token: bool):
        self.victim = victim
        self.has_token = has_token
        self.given: dict[str, str] = {}

    def ask_apple(self) -> None:
        """Shows Apple's sheet; a name comes the first time only."""
        answer = requests.post(f"{self.victim.url}/apple/device",
                               {"client_id": "example.acme.shop", "person": "regular"}, timeout=SECONDS)
        self.given = answer.json()
        if not self.has_token:
            del self.given["identity_token"]

    def hand_over(self) -> requests.Response:
        return requests.post(f"{self.victim.url}{TEAM}/auth/native", self.given, timeout=SECONDS)


def handed_over(app: App) -> None:
    """Apple is asked for its tokens, and has not answered; a token says who came, else that something was sent is known."""
    app.victim.let_apple("silent")
    request = hanging(app.hand_over)
    app.victim.until(NAME_WAITS if app.has_token else "SELECT 1 FROM native_handovers")
    app.victim.kill()
    request.join()


def handed_over_and_broken(app: App) -> None:
    """Apple has spent its code, and the connection broke: the app was told to try again."""
    app.victim.let_apple("broken")
    assert app.hand_over().status_code == 503
    app.victim.kill()


def handed_over_and_unrecorded(app: App) -> None:
    """Apple has spent its code and said who came; they were not stored yet."""
    app.victim.die_writing("upstream_identities", app.hand_over, APPLES_CODE_IS_SPENT)


def handed_over_and_unwritten(app: App) -> None:
    """Apple has spent its code and said who came; its tokens and the session were not stored yet."""
    app.victim.die_writing("upstream_tokens", app.hand_over, NAME_IS_KEPT, APPLES_CODE_IS_SPENT)


def handed_over_and_answered(app: App) -> None:
    """Everything is done, and the app never heard of it."""
    assert app.hand_over().status_code == 200
    app.victim.kill()


def send_again(app: App) -> requests.Response:
    """The same body once more, as after any answer that did not come."""
    return app.hand_over()


def show_the_sheet_again(app: App) -> requests.Response:
    """The code is refused, so the app asks Apple for another one; the name comes from the vault."""
    refused = app.hand_over()
    assert (refused.status_code, refused.json()["error"]) == (400, "invalid_grant")
    app.ask_apple()
    assert "first_name" not in app.given
    return app.hand_over()


def show_the_sheet_again_with_the_name(app: App) -> requests.Response:
    """The same where nothing said whose the name was: the app sends what it has kept until it was answered."""
    refused = app.hand_over()
    assert (refused.status_code, refused.json()["error"]) == (400, "invalid_grant")
    kept = {name: app.given[name] for name in ("first_name", "last_name", "email")}
    app.ask_apple()
    app.given |= kept
    return app.hand_over()


@dataclass(frozen=True)
class AppDeath(Death):
    has_token: bool


@pytest.mark.parametrize("death", [
    AppDeath(handed_over, "Apple is silent, with a token", send_again, True),
    AppDeath(handed_over, "Apple is silent, with the code alone", send_again, False),
    AppDeath(handed_over_and_broken, "the code is spent, with a token", show_the_sheet_again, True),
    AppDeath(handed_over_and_broken, "the code is spent, with the code alone", show_the_sheet_again_with_the_name, False),
    AppDeath(handed_over_and_unrecorded, "nobody is recorded, with a token", show_the_sheet_again, True),
    AppDeath(handed_over_and_unrecorded, "nobody is recorded, with the code alone", show_the_sheet_again_with_the_name, False),
    AppDeath(handed_over_and_unwritten, "nothing is written, with a token", show_the_sheet_again, True),
    AppDeath(handed_over_and_unwritten, "nothing is written, with the code alone", show_the_sheet_again, False),
    AppDeath(handed_over_and_answered, "it was answered", send_again, True),
], ids=lambda death: death.name)
def test_an_app_goes_on_after_a_kill_when(victim: Victim, death: AppDeath):
    app = App(victim, death.has_token)
    app.ask_apple()
    death.reach(app)
    victim.start()
    database.lapse(victim)

    answer = death.go_on(app)

    assert answer.status_code == 200, answer.text
    assert answer.json()["user"]["name"] == NAME
    assert victim.knows_rita()
    assert victim.ask(NAME_WAITS) == []
    assert victim.ask("SELECT count(*) FROM refresh_tokens WHERE team_id = 'DEMOTEAM01'") == [["1"]]
    assert victim.ask("SELECT count(*) FROM upstream_tokens WHERE state = 'live'") == [["1"]]
