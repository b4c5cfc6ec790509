"""Every page that refuses something, opened by its real cause: it says what was seen, and has a way on that works."""

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
import requests
from playwright.sync_api import BrowserContext, Page, expect

import console
import database
import hosted
from cast import Person
from console import Console
from server import ROOT, Pippin
from waiting import SECONDS

DEMO, CLOSED, FACTORS, FLOODED = "DEMOTEAM01", "CLOSED0001", "FACTORS001", "FLOODED001"
ADA = Person("Ada", "Lovelace", "ada@acme.example", "plant-a-pip-today")
SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
NO_LINK = "A" * 43
Cause = Callable[["World"], Iterator[Page]]


@dataclass
class World:
    pippin: Pippin
    console: Console
    new_context: Callable[..., BrowserContext]

    def page(self, path: str = "", **options) -> Page:
        page = self.new_context(**options).new_page()
        if path:
            page.goto(self.pippin.url + path)
        return page

    def sql(self, statement: str) -> list[list[str]]:
        return database.rows(self.pippin, statement)

    def signed_in(self, path: str) -> Page:
        page = self.new_context(storage_state=self.console.storage_state).new_page()
        page.goto(f"{self.pippin.url}/console{path}")
        return page

    def let_apple(self, place: str, fault: str) -> None:
        answer = requests.post(f"{self.pippin.url}/apple", {place: fault}, allow_redirects=False, timeout=SECONDS)
        assert answer.status_code == 303, answer.text

    def at_apple(self) -> Page:
        page = self.page()
        page.goto(f"http://127.0.0.1:{self.pippin.port}/demo")
        page.get_by_role("link", name="Sign in with Pippin").click()
        page.get_by_role("link", name="Continue with Apple").click()
        return page

    @contextmanager
    def failing(self, state: str) -> Iterator[None]:
        """Every statement about a team fails with a code meanwhile."""
        [[kept]] = self.sql("SELECT translate(pg_get_functiondef('pippin_team'::regproc), E'\\n', ' ')")
        self.sql(f"""
            CREATE OR REPLACE FUNCTION pippin_team() RETURNS text LANGUAGE plpgsql STABLE
            AS $$ BEGIN RAISE EXCEPTION 'as made up' USING ERRCODE = '{state}'; END $$;
        """)
        try:
            yield
        finally:
            self.sql(kept)


@pytest.fixture(scope="module")
def world_without_context(secrets: set[str], browser) -> Iterator[World]:
    secrets |= {ADA.password, SECRET, console.PASSWORD}
    with Pippin.running("--demo", "--simulate-apple") as pippin:
        context = browser.new_context(locale="en-US")
        page = context.new_page()
        # Nobody can sign in to the console yet.
        assert page.goto(f"{pippin.url}/console").status == 503
        expect(page.get_by_role("heading", name=words("console.setup.wanted"))).to_be_visible()
        expect(page.get_by_role("button", name="Copy")).to_be_visible()
        desk = console.set_up(page, pippin)
        context.close()
        user = {"email": ADA.email, "password": ADA.password, "givenName": "Ada", "familyName": "Lovelace"}
        pippin.apply({"teams": [
            {"id": CLOSED, "name": "Closed", "mode": "sandbox", "registration": "off"},
            {"id": FLOODED, "name": "Flooded", "mode": "sandbox"},
            {"id": FACTORS, "name": "Factors", "mode": "sandbox", "users": [{**user, "totpSecret": SECRET}]},
        ]})
        yield World(pippin, desk, browser.new_context)
        pippin.stop()


@pytest.fixture
def world(world_without_context: World, new_context) -> World:
    world_without_context.new_context = new_context
    return world_without_context


# In the console, and before it.


def a_page_that_is_not_there(world: World) -> Iterator[Page]:
    yield world.page(f"/t/{DEMO}/nothing")
    yield world.signed_in(f"/{world.console.team_id}/nothing")


def a_role_that_may_not(world: World) -> Iterator[Page]:
    team = world.console.team_id
    world.sql(f"UPDATE memberships SET role = 'auditor' WHERE team_id = '{team}'")
    yield world.signed_in(f"/{team}/keys/new")
    world.sql(f"UPDATE memberships SET role = 'owner' WHERE team_id = '{team}'")


def a_team_that_is_being_deleted(world: World) -> Iterator[Page]:
    team = world.console.team_id
    page = a_filled_form(world)
    world.sql(f"UPDATE teams SET closed_at = now() WHERE team_id = '{team}'")
    page.get_by_role("button", name="Register").click()
    world.sql(f"UPDATE teams SET closed_at = NULL WHERE team_id = '{team}'")
    yield page


def a_form_of_an_earlier_cookie(world: World) -> Iterator[Page]:
    page = a_filled_form(world)
    page.context.add_cookies([{"name": "pippin-browser", "value": "A" * 22, "url": world.pippin.url}])
    page.get_by_role("button", name="Register").click()
    yield page


def another_name_of_the_server(world: World) -> Iterator[Page]:
    for path in (f"/t/{DEMO}/account/session", "/t/PIPPIN0000/account/session"):
        page = world.page(java_script_enabled=False)
        page.goto(f"http://127.0.0.1:{world.pippin.port}{path}")
        hosted.prove(page, ADA)
        expect(page.locator("main")).to_contain_text(world.pippin.url)
        yield page


def a_browser_without_cookies(world: World) -> Iterator[Page]:
    for path in (f"/t/{DEMO}/account/session", "/t/PIPPIN0000/account/session"):
        page = world.page(path)
        page.context.clear_cookies()
        hosted.prove(page, ADA)
        expect(page.locator("main")).to_contain_text(world.pippin.url)
        yield page
    page = world.at_apple()
    page.context.clear_cookies()
    page.get_by_role("button", name="Rita Regular").click()
    yield page
    # A form of the console, in which the session is still there.
    page = a_filled_form(world)
    page.context.clear_cookies(name="pippin-browser")
    page.get_by_role("button", name="Register").click()
    yield page


def too_many_requests(world: World) -> Iterator[Page]:
    with requests.Session() as session:
        while session.get(f"{world.pippin.url}/t/{FLOODED}/account/session", timeout=SECONDS).status_code != 429:
            world.sql(f"UPDATE limits SET count = 1000000 WHERE team_id = '{FLOODED}'")
    yield world.page(f"/t/{FLOODED}/account/session")


def trouble_of_the_database(state: str) -> Cause:
    def cause(world: World) -> Iterator[Page]:
        page = world.signed_in("")
        for path in (f"/t/{DEMO}/account", f"/console/{world.console.team_id}/keys"):
            with world.failing(state):
                page.goto(world.pippin.url + path)
            yield page

    return cause


def a_search_that_waits(world: World) -> Iterator[Page]:
    page = world.signed_in("")
    with database.held(world.pippin, "keys", mode="ACCESS EXCLUSIVE"):
        page.goto(f"{world.pippin.url}/console/{world.console.team_id}/keys?q=server")
    yield page


def an_address_without_sense(world: World) -> Iterator[Page]:
    yield world.signed_in(f"/{world.console.team_id}/users?after=nonsense")
    yield world.page(f"/t/{DEMO}/account/session?next=%FF")


def a_key_that_was_downloaded(world: World) -> Iterator[Page]:
    page = key(world)
    other = page.context.new_page()
    other.goto(page.url)
    with page.expect_download():
        page.get_by_role("button", name="Download AuthKey").click()
    other.get_by_role("button", name="Download AuthKey").click()
    yield other


def a_key_that_another_master_key_sealed(world: World) -> Iterator[Page]:
    page = key(world)
    world.sql("UPDATE keys SET private_key_sealed = '\\x00' WHERE private_key_sealed IS NOT NULL")
    page.get_by_role("button", name="Download AuthKey").click()
    yield page


def a_filled_form(world: World) -> Page:
    page = world.signed_in(f"/{world.console.team_id}/app-ids/new")
    page.get_by_label("Description", exact=True).fill("Orchard")
    page.get_by_label("Bundle ID", exact=True).fill("com.orchard.never")
    return page


def key(world: World) -> Page:
    """The page of a new key."""
    page = world.signed_in("")
    desk, number = world.console.on(page), time.time_ns()
    desk.register_app_id(f"com.orchard.n{number}", "Orchard")
    desk.create_key(f"Key {number}", of=f"com.orchard.n{number}")
    return page


def a_link_of_nothing(path: str) -> Cause:
    def cause(world: World) -> Iterator[Page]:
        yield world.page(path)

    return cause


# Sign-ins.


def a_request_that_is_not_registered(world: World) -> Iterator[Page]:
    yield world.page(f"/t/{DEMO}/auth/authorize?client_id=com.nobody.web")


def a_sign_in_over_lunch(world: World) -> Iterator[Page]:
    for begin in (f"/t/{DEMO}/account/session", "/t/PIPPIN0000/account/session", None):
        page = world.page(begin or "")
        if begin is None:
            page.goto(f"http://127.0.0.1:{world.pippin.port}/demo")
            page.get_by_role("link", name="Sign in with Pippin").click()
        world.sql("UPDATE interactions SET created_at = created_at - interval '1 hour'")
        hosted.prove(page, ADA)
        yield page


def five_wrong_codes(world: World) -> Iterator[Page]:
    page = world.page(f"/t/{FACTORS}/account/session")
    hosted.prove(page, ADA)
    for _ in range(5):
        page.get_by_label("Six-digit code").fill("000000")
        page.get_by_role("button", name="Continue").click()
        if page.locator("[data-error]").count():
            break
        expect(page.get_by_role("alert")).to_be_visible()
    else:
        page.get_by_label("Six-digit code").fill("000000")
        page.get_by_role("button", name="Continue").click()
    yield page


def trouble_at_apple(place: str, fault: str) -> Cause:
    def cause(world: World) -> Iterator[Page]:
        page = world.at_apple()
        world.let_apple(place, fault)
        page.get_by_role("button", name="Rita Regular").click()
        expect(page.locator("[data-error]")).to_be_visible()
        world.let_apple(place, "")
        yield page

    return cause


def an_answer_that_is_under_way(world: World) -> Iterator[Page]:
    page, held = world.at_apple(), []

    def post_and_stay(route) -> None:
        held.append(route.fetch(max_redirects=0).headers["location"])
        route.abort()

    page.route(lambda url: "/auth/callback/apple" in url, post_and_stay)
    page.get_by_role("button", name="Rita Regular").click(no_wait_after=True)
    page.wait_for_event("requestfailed", lambda request: "/auth/callback/apple" in request.url)
    page.unroute_all()
    world.sql("UPDATE upstream_requests SET claimed_until = now() + interval '1 minute'")
    page.goto(world.pippin.url + held[0])
    database.lapse(world.pippin)
    yield page


def a_newcomer_of_a_closed_team(world: World) -> Iterator[Page]:
    page = world.at_apple()
    world.sql(f"UPDATE teams SET registration = 'off' WHERE team_id = '{DEMO}'")
    page.get_by_role("button", name="Nora Newcomer").click()
    expect(page.locator("[data-error]")).to_be_visible()
    world.sql(f"UPDATE teams SET registration = 'open' WHERE team_id = '{DEMO}'")
    yield page


def a_person_who_is_suspended(world: World) -> Iterator[Page]:
    page = world.at_apple()
    page.get_by_role("button", name="Rita Regular").click()
    expect(page.get_by_role("heading", name=re.compile("^Hello"))).to_be_visible()
    page = world.at_apple()
    world.sql(f"UPDATE users SET suspended_at = now() WHERE team_id = '{DEMO}'")
    page.get_by_role("button", name="Rita Regular").click()
    expect(page.locator("[data-error]")).to_be_visible()
    world.sql("UPDATE users SET suspended_at = NULL")
    yield page


# By the headline of the page in the catalogue; what is opened and followed in Swift, by the test that does.
PAGES: dict[str, Cause | str] = {
    "shared.problems.not-found.headline": a_page_that_is_not_there,
    "shared.problems.forbidden.headline": a_role_that_may_not,
    "shared.problems.team-closed.headline": a_team_that_is_being_deleted,
    "shared.problems.stale-form.headline": a_form_of_an_earlier_cookie,
    "shared.problems.other-address.headline": another_name_of_the_server,
    "shared.problems.no-cookie.headline": a_browser_without_cookies,
    "shared.problems.too-many.headline": too_many_requests,
    "shared.problems.unavailable.headline": trouble_of_the_database("58030"),
    "shared.problems.failed.headline": trouble_of_the_database("22012"),
    "shared.problems.search-too-wide.headline": a_search_that_waits,
    "shared.problems.bad-request.headline": an_address_without_sense,
    "console.keys.gone.headline": a_key_that_was_downloaded,
    "console.keys.sealed.headline": a_key_that_another_master_key_sealed,
    "console.setup.invalid": a_link_of_nothing(f"/setup/{NO_LINK}"),
    "console.invitation.gone.title": a_link_of_nothing(f"/invitations/{NO_LINK}"),
    "console.invitation.full.title": "ConsoleTests/InvitationTests.swift: to a full team say so and are kept",
    "hosted.problems.wrong-request.headline": a_request_that_is_not_registered,
    "hosted.problems.interaction-over.headline": a_sign_in_over_lunch,
    "hosted.problems.link-over.headline": a_link_of_nothing(f"/t/{DEMO}/links/password/{NO_LINK}"),
    "hosted.problems.invitation-over.headline": a_link_of_nothing(f"/t/{DEMO}/links/invitation/{NO_LINK}"),
    "hosted.problems.link-closed.headline": a_link_of_nothing(f"/t/{CLOSED}/links/account/{NO_LINK}"),
    "hosted.problems.address-taken.headline": "SignInTests/Handovers/MailedLinkEndTests.swift: V70: says that the address is another account's by now",
    "hosted.problems.apple-later.headline": trouble_at_apple("token", "trouble"),
    "hosted.problems.apple-anew.headline": trouble_at_apple("token", "expired"),
    "hosted.problems.apple-never.headline": trouble_at_apple("token", "unknown_client"),
    "hosted.problems.apple-busy.headline": an_answer_that_is_under_way,
    "hosted.problems.closed.headline": a_newcomer_of_a_closed_team,
    "hosted.problems.suspended.headline": a_person_who_is_suspended,
    "hosted.factors.prove.over.headline": five_wrong_codes,
    "hosted.apple.taken.headline": "SignInTests/Apple/LinkingTests.swift: This Apple Account already has an account here",
    "hosted.apple.another.headline": "SignInTests/Apple/LinkingTests.swift: Another Apple Account is connected",
    "hosted.apple.foreign.headline": "SignInTests/Apple/LinkWallTests.swift: Nothing was connected",
    "hosted.mail.foreign-title": "SignInTests/Handovers/MailedSignInTests.swift: Open the link where you asked for it",
    "hosted.mail.sign-in-first-title": "SignInTests/Handovers/MailedLinkBrowserTests.swift: Sign in first",
}
OPENED = {headline: cause for headline, cause in PAGES.items() if callable(cause)}


def words(key: str) -> str:
    """A text of the catalogue, in English."""
    area, file, name = key.split(".", 2)
    lines = (ROOT / f"Texts/en/{area}/{file}.txt").read_text().splitlines()
    [text] = [line.split(" = ", 1)[1] for line in lines if line.startswith(f"{name} = ")]
    return text


# Pages that are refusals by their status alone, and have a row above or are the form once more; by file, how many.
BY_STATUS = {
    "AccessControl.swift": 1, "InvitationAcceptancePages.swift": 2, "SetupPages.swift": 1, "MailedLinks.swift": 2,
    "FederationStep.swift": 1,
    "ResourceEditor.swift": 1, "SettingsPages.swift": 1, "LinkedApple.swift": 1, "AccountFactors.swift": 2,
}
SOURCES = [*(ROOT / "Sources/SignIn").rglob("*.swift"), *(ROOT / "Sources/Console").rglob("*.swift")]


def headlines() -> set[str]:
    """What stands over a page that refuses something, by its error or by its message."""
    found = set()
    for source in map(Path.read_text, SOURCES):
        found |= {f"{family}.headline" for family in re.findall(r'UserFacingError\(\s*\.?\w+(?:\.\w+)?, "([\w.-]+)"', source)}
        found |= set(re.findall(r'Message\("([\w.-]+\.headline)"\)', source))
    return found


def statuses() -> dict[str, int]:
    """How many pages a file answers with the status of a refusal."""
    refusal = re.compile(r"\bstatus: \.(?:gone|conflict|forbidden|notFound|badRequest|serviceUnavailable|tooManyRequests)\b")
    counts = {file.name: len(refusal.findall(file.read_text())) for file in SOURCES if "Protocol" not in file.parts}
    return {name: count for name, count in counts.items() if count}


def test_every_page_that_refuses_something_is_opened_here():
    """V84: a new one without a cause fails here."""
    assert headlines() - set(PAGES) == set()
    assert statuses() == BY_STATUS
    for place in PAGES.values():
        if isinstance(place, str):
            file, said = place.split(": ", 1)
            assert said in (ROOT / "Tests" / file).read_text(), place


@pytest.mark.parametrize("headline", OPENED)
def test_it_says_what_was_seen_and_has_a_way_on(world: World, headline: str):
    """V84: each is opened by what it is there for."""
    title = words(headline)
    for page in OPENED[headline](world):
        heading = page.get_by_role("heading", name=title, level=1)
        expect(heading).to_be_visible()
        links = page.locator("main a.button:visible")
        expect(links.first).to_be_visible()
        if headline == "shared.problems.too-many.headline":
            # It works once the minutes are over that the page names.
            assert links.first.get_attribute("href") == page.url
            continue
        with page.expect_navigation() as led:
            links.first.click()
        assert led.value.status < 400, f"{headline}: {led.value.url} is answered {led.value.status}"
        expect(heading).to_have_count(0)


def test_what_leads_to_a_form_leads_to_the_right_address(world: World):
    """V83: at the name that a person typed."""
    for path in ("", "/", "/console", f"/t/{DEMO}/account", f"/t/{DEMO}/account/session", "/t/PIPPIN0000/account/session"):
        page = world.page()
        page.goto(f"http://127.0.0.1:{world.pippin.port}{path}")
        page.wait_for_url(f"{world.pippin.url}/**")
        expect(page.get_by_role("button", name="Sign in", exact=True)).to_be_visible()
    hosted.prove(page, Person("", "", console.EMAIL, console.PASSWORD))
    page.wait_for_url(f"{world.pippin.url}/console")
    # The app of the demo is at that address by design, and stays there.
    page.goto(f"http://127.0.0.1:{world.pippin.port}/demo")
    expect(page.get_by_role("link", name="Sign in with Pippin")).to_be_visible()
    for path in ("/healthz", "/readyz", f"/t/{DEMO}/auth/keys", f"/t/{DEMO}/.well-known/openid-configuration"):
        assert requests.get(f"http://127.0.0.1:{world.pippin.port}{path}", allow_redirects=False, timeout=SECONDS).status_code == 200


def test_a_page_that_hides_where_it_is_signs_in(world: World):
    """V80: Chromium sends `Origin: null` then, and vouches for the page itself."""
    page = world.page()
    # As a proxy's field, or an add-on, has it.
    page.route("**/account/session*", lambda route: hide(route))
    page.goto(f"{world.pippin.url}/t/{DEMO}/account/session")
    with page.expect_request(lambda request: request.method == "POST") as sent:
        hosted.prove(page, ADA)
    assert sent.value.all_headers()["origin"] == "null"
    expect(page.get_by_role("heading", name="Your Demo account")).to_be_visible()


def hide(route) -> None:
    answer = route.fetch()
    route.fulfill(response=answer, headers={**answer.headers, "referrer-policy": "no-referrer"})
