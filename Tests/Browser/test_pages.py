"""Every page as a careful reviewer looks at it: in light, in dark, on a phone; and the forms without JavaScript."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

import hosted
import logs
import page_checks
from app_sign_in import expect_signed_in, start_sign_in
from authenticators import VirtualAuthenticator, code
from cast import BEN, CLEO
from console import Console, send_password, sign_in, sign_out
from sample_app import SampleApp
from sample_teams import FULL, IVY, NO_TOKEN, STRICT, SampleTeams
from server import Pippin

# What a GET is answered with that is no page.
NO_PAGES = {
    "/": "goes to the console",
    "/console/:team/transfers/:transfer/acceptance": "looked at in test_transfers, which has an offer",
    "/healthz": "for machines",
    "/readyz": "for machines",
    "/metrics": "for machines",
    "/accents/2/:colour": "a stylesheet",
    "/t/:team/logo/:digest": "a picture",
    "/t/:team/auth/keys": "JSON",
    "/t/:team/auth/js": "a script",
    "/t/:team/appleauth/static/jsapi/appleid/1/:locale/appleid.auth.js": "the same script",
    "/t/:team/auth/userinfo": "JSON",
    "/t/:team/.well-known/openid-configuration": "JSON",
    "/.well-known/openid-configuration/t/:team": "JSON",
    "/.well-known/oauth-authorization-server/t/:team": "JSON",
    "/.well-known/change-password": "goes on to where a password is changed",
    "/t/:team/account/session": "goes on to a sign-in",
    "/t/:team/auth/authorize": "goes on to a sign-in",
    "/t/:team/auth/interactions/:interaction/apple": "goes on to Apple",
    "/t/:team/auth/callback/apple": "goes on to the app",
    "/console/:team/domains/:domain/association-file": "a download",
    "/console/:team/settings/accent": "words for the script of a page",
    "/console/:team/test-sign-ins/:testsignin/callback": "goes on to the test sign-in",
}


@pytest.fixture(scope="module")
def teams(orchard: Console, browser, pippin: Pippin, secrets: set[str]) -> Iterator[SampleTeams]:
    teams = SampleTeams(orchard, pippin, browser, secrets)
    teams.fill()
    yield teams
    teams.stop()


class Routes:
    """The addresses that the server answers a GET at with a page, as it declares them in its log."""

    def __init__(self, pippin: Pippin):
        declared = [line["address"].removeprefix("GET ") for line in logs.events(pippin.log, "route")
                    if line["address"].startswith("GET ")]
        self.pages = {pattern for pattern in declared if not pattern.startswith("/assets/")} - set(NO_PAGES)
        assert len(self.pages) > 50
        self.shapes = {pattern: re.compile(re.sub(r":[a-z]+", "[^/]+", re.escape(pattern)) + "$") for pattern in self.pages}

    def pattern(self, path: str) -> str | None:
        """Which of them answers at a path; a literal segment wins over a value."""
        matching = [pattern for pattern, shape in self.shapes.items() if shape.match(path)]
        return min(matching, key=lambda pattern: pattern.count(":"), default=None)

    def forgotten(self, seen: set[str], *, hosted: bool) -> set[str]:
        """Those of the hosted pages, or of all others, that no path in `seen` leads to."""
        wanted = {pattern for pattern in self.pages if pattern.startswith("/t/") == hosted}
        return wanted - {self.pattern(path) for path in seen}


def test_every_page_of_the_console(teams: SampleTeams, pippin: Pippin, new_context, screenshot):
    page = new_context(storage_state=teams.storage_state, reduced_motion="reduce").new_page()
    routes, seen, known, found = Routes(pippin), set(), set(), []
    for number, path in enumerate([*teams.console_pages(), f"/console/{FULL}/no-such-section"]):
        page.goto(teams.pippin.url + path)
        address = urlsplit(page.url).path
        assert address == urlsplit(path).path
        seen.add(address)
        for event in page.locator("ul.events details").all()[:2]:
            event.locator("summary").click()
        name = f"console-{number:02}-" + re.sub(r"[^a-z0-9]+", "-", path.lower())[9:50]
        pattern = routes.pattern(address)
        found += page_checks.faults_in_every_look(
            page, lambda look: screenshot(page, name, look), is_known=pattern in known
        )
        known.add(pattern)
    assert found == []
    assert routes.forgotten(seen, hosted=False) == set()


def test_every_hosted_page(teams: SampleTeams, pippin: Pippin, new_context, screenshot):
    walk = HostedWalk(teams, new_context(reduced_motion="reduce").new_page(), screenshot)
    walk.ways_in()
    walk.ways_out()
    walk.account()
    walk.apple()
    walk.factors()
    walk.errors()
    walk.farewell()
    assert walk.found == []
    assert Routes(pippin).forgotten(walk.seen, hosted=True) == set()


class HostedWalk:
    """One person's way through all that a team shows to its people."""

    def __init__(self, teams: SampleTeams, page: Page, screenshot: Callable[..., None]):
        self.teams = teams
        self.page = page
        self.person = IVY
        self.screenshot = screenshot
        self.seen: set[str] = set()
        self.known: set[str] = set()
        self.found: list[str] = []
        self.account_url = f"{teams.hosted}/account"

    def look(self, name: str, heading: str) -> None:
        expect(self.page.get_by_role("heading", name=heading, level=1)).to_be_visible()
        self.seen.add(urlsplit(self.page.url).path)
        keep = lambda look: self.screenshot(self.page, f"hosted-{name}", look)
        # The account’s page grows with what a person has, and a refusal says what is wrong; others look alike.
        is_known = heading in self.known and not name.startswith(("account", "refused"))
        self.found.extend(page_checks.faults_in_every_look(self.page, keep, is_known=is_known))
        self.known.add(heading)

    def press(self, name: str) -> None:
        self.page.get_by_role("button", name=name, exact=True).click()

    def follow(self, name: str) -> None:
        self.page.get_by_role("link", name=name, exact=True).click()

    def fill(self, label: str, value: str) -> None:
        self.page.get_by_label(label, exact=True).fill(value)

    @contextmanager
    def elsewhere(self) -> Iterator[Page]:
        """Another browser, which knows nothing of what this one began."""
        own, context = self.page, self.page.context.browser.new_context(reduced_motion="reduce")
        self.page = context.new_page()
        yield self.page
        context.close()
        self.page = own

    def ways_in(self) -> None:
        """The sign-in, a new account, a forgotten password."""
        page, person = self.page, self.person
        page.goto(self.teams.authorize)
        self.look("sign-in", "Sign in to Garden Gate")
        send_password(page, person.email, "not-the-password")
        expect(page.get_by_role("alert")).to_be_visible()
        self.look("refused", "Sign in to Garden Gate")
        self.follow("Create an account")
        self.look("registration", "Create an account")
        newcomer = f"new-{person.email}"
        for label, value in [
            ("Email address", newcomer), ("First name", "Nora"), ("Last name", "Bene"), ("New password", person.password),
        ]:
            self.fill(label, value)
        self.press("Create account")
        self.look("registered", "Check your email")
        page.goto(self.teams.mailed_link(newcomer))
        self.look("registration-link", "Is this your address?")
        with self.elsewhere() as other:
            other.goto(self.teams.mailed_link(newcomer))
            self.look("registration-elsewhere", "Choose your password")
            self.fill("New password", person.password)
            self.press("Create account")
            self.look("registered-elsewhere", "Your account is ready")
        page.goto(self.teams.authorize)
        self.follow("Forgot your password?")
        self.look("recovery", "Forgot your password?")
        self.fill("Email address", person.email)
        self.press("Email me a password link")
        self.look("recovery-sent", "Check your email")
        page.goto(self.teams.mailed_link(person.email))
        self.look("new-password", "Choose a new password")
        page.goto(self.teams.authorize)
        self.follow("Forgot your password?")
        self.fill("Email address", newcomer)
        self.press("Email me a sign-in link")
        self.look("sign-in-link-sent", "Check your email")
        page.goto(self.teams.mailed_link(newcomer, "/sign-in/"))
        self.look("sign-in-link", "Sign in by this link?")
        with self.elsewhere() as other:
            other.goto(self.teams.mailed_link(newcomer, "/sign-in/"))
            self.look("sign-in-link-elsewhere", "Open the link where you asked for it")

        page.goto(self.teams.user_invitation)
        self.look("invited", "Make your account")

    def ways_out(self) -> None:
        """What an app gets to know, and the way back to it."""
        page = self.page
        page.goto(self.teams.authorize)
        hosted.prove(page, self.person)
        self.look("consent", "Continue to Garden Gate")
        hosted.hide_email(page)
        page.route(f"{self.teams.client.return_url}**", lambda route: route.abort("aborted"))
        hosted.press_continue(page)
        self.look("exit", "Back to Garden Gate")
        page.goto(self.teams.authorize)
        hosted.expect_confirmation(page)
        self.look("continue", "Continue to Garden Gate")

    def account(self) -> None:
        page = self.page
        page.goto(self.account_url)
        self.look("account", "Your Garden account")
        for name, heading in [
            ("password", "Change your password"),
            ("data", "Download your data"),
            ("deletion", "Delete your account"),
        ]:
            page.goto(f"{self.account_url}/{name}")
            self.look(name, heading)
        page.goto(f"{self.account_url}/apps/com.garden.app/end")
        self.look("stop-using", "Stop using Garden?")
        page.goto(f"{self.account_url}/email")
        self.look("email", "Change your email address")
        self.fill("New email address", f"other-{self.person.email}")
        self.fill("Current password", self.person.password)
        self.press("Send link")
        self.look("email-sent", "Check your email")
        page.goto(self.teams.mailed_link(f"other-{self.person.email}"))
        self.look("email-link", "Is this your address?")
        with self.elsewhere() as other:
            other.goto(self.teams.mailed_link(f"other-{self.person.email}"))
            self.look("email-link-elsewhere", "Sign in first")

    def apple(self) -> None:
        """An account at Apple that is connected to the person's."""
        page = self.page
        with self.teams.open_to_apple():
            page.goto(self.account_url)
            expect(page.get_by_role("button", name="Connect Apple")).to_be_visible()
            self.look("account-apple", "Your Garden account")
            self.teams.connect_to_apple(self.person)
            page.goto(f"{self.account_url}/apple")
            self.look("apple", "Sign in with Apple")

    def factors(self) -> None:
        page, secrets = self.page, self.teams.secrets
        page.goto(self.account_url)
        self.follow("Add an authenticator app")
        self.look("totp-new", "Set up your authenticator app")
        secret = page.locator("pre code").inner_text()
        secrets.update({secret, secret.replace(" ", "")})
        self.fill("Code that the app shows now", code(secret))
        self.press("Confirm")
        self.look("codes", "Your recovery codes")
        secrets.update(page.locator("pre code").inner_text().split())
        self.follow("I've saved my codes")
        device = VirtualAuthenticator(page)
        self.follow("Add a passkey")
        self.look("passkey-new", "Create a passkey")
        self.fill("Name", "Ivy’s laptop")
        self.press("Create the passkey")
        expect(page.get_by_role("status")).to_contain_text("Your second step is set up")
        device.answer(False)  # else it signs in by itself wherever it can
        self.look("account-factors", "Your Garden account")
        self.follow("Ivy’s laptop")
        self.look("passkey", "Ivy’s laptop")
        page.goto(f"{self.account_url}/factors/totp")
        self.look("totp", "Authenticator app")
        page.goto(f"{self.account_url}/proof")
        self.look("proof", "Confirm that it is you")
        page.goto(self.account_url)
        self.press("Sign out")
        self.look("signed-out", "You are signed out")
        self.follow("Sign in again")
        self.look("session", "Sign in to your account")
        send_password(page, self.person.email, self.person.password)
        self.look("prove", "Confirm that it is you")
        page.goto(f"{self.teams.pippin.url}/t/{STRICT}/account/session")
        send_password(page, self.person.email, self.person.password)
        self.look("enrolment", "Protect your account")
        self.follow("Authenticator app")
        self.look("enrolment-totp", "Set up your authenticator app")

    def errors(self) -> None:
        page = self.page
        page.goto(self.teams.authorize.replace("callback", "elsewhere"))
        self.look("error", "There’s a problem with this app’s sign-in setup")
        for kind in ("account", "password", "email", "invitation"):
            page.goto(f"{self.teams.hosted}/links/{kind}/{NO_TOKEN}")
            what = "invitation" if kind == "invitation" else "link"
            self.look(f"link-{kind}", f"This {what} no longer works")
        page.goto(f"{self.teams.hosted}/no-such-page")
        self.look("missing", "This page does not exist")

    def farewell(self) -> None:
        """What a deleted account leaves behind."""
        for number, receipt in enumerate(self.teams.receipts):
            self.page.goto(receipt)
            self.look(f"receipt-{number}", "Receipt of a deleted account")


def test_the_forms_need_no_script(orchard: Console, client: SampleApp, new_context, pippin: Pippin, secrets):
    """Sign in, register, save, download, try, revoke, delete, and sign in at an app, all with JavaScript off."""
    page = new_context(java_script_enabled=False).new_page()
    sign_in(page, pippin, orchard.email, orchard.password)
    console = orchard.on(page)
    console.register_app_id("com.orchard.plain", "Plain app")
    console.create_service_id(
        "com.orchard.plain.web", "Plain Bread", of="com.orchard.plain", return_urls=[client.return_url]
    )
    page.get_by_label("Description", exact=True).fill("Plainer Bread")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("Saved")
    key_id = console.create_key("Plain server", of="com.orchard.plain")
    private_key = console.download_key(key_id)
    client.use(f"{console.url}/t/{console.team_id}", console.team_id, "com.orchard.plain.web", key_id, private_key)

    visitor = new_context(java_script_enabled=False).new_page()
    start_sign_in(visitor, client)
    hosted.prove(visitor, BEN)
    hosted.expect_consent_sheet(visitor)
    hosted.hide_email(visitor)
    hosted.press_continue(visitor)
    expect(visitor.get_by_role("heading", name="Back to Plainer Bread")).to_be_visible()
    visitor.get_by_role("button", name="Continue to Plainer Bread").click()
    expect_signed_in(visitor, client)

    page.goto(f"{console.url}/console/{console.team_id}/service-ids/com.orchard.plain.web")
    page.get_by_role("link", name="Try it").click()
    page.get_by_role("button", name="Start").click()
    hosted.prove(page, CLEO)
    hosted.press_continue(page)
    page.get_by_role("button", name="Continue to Plainer Bread").click()
    expect(page.get_by_text("Worked", exact=True)).to_be_visible()

    console.open(f"keys/{key_id}")
    page.get_by_label(f"Type {key_id} to confirm").fill("yes")
    page.get_by_label("Reason").fill("Tried without a script")
    page.get_by_role("button", name="Revoke key").click()
    expect(page.locator("#field-confirmation-error")).to_contain_text(f"Type {key_id} exactly")
    expect(page.get_by_label("Reason")).to_have_value("Tried without a script")
    console.revoke_key(key_id, "Tried without a script")
    sign_out(page)
    expect(page.get_by_role("heading", name="You are signed out")).to_be_visible()
