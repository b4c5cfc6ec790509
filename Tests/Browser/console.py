"""A person in front of the console: sets it up, signs in, registers things, reads what it shows."""

import dataclasses
import re
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Page, expect

from server import Pippin
from waiting import until

SYSTEM_TEAM = "PIPPIN0000"
EMAIL = "olive@pippin.example"
PASSWORD = "olives-grow-slowly-1999"
TEAM = "Orchard"


@dataclass(frozen=True)
class Console:
    url: str
    team_id: str
    email: str
    password: str
    set_up_link: str
    storage_state: dict
    page: Page | None = None

    def on(self, page: Page, *, team_id: str | None = None) -> "Console":
        return dataclasses.replace(self, page=page, team_id=team_id or self.team_id)

    def open(self, path: str = "") -> Page:
        """Opens a page of the console: `open("app-ids")` is below the team, `open("/…")` below /console."""
        below = path if path.startswith("/") else f"/{self.team_id}/{path}"
        self.page.goto(f"{self.url}/console{below.rstrip('/')}")
        return self.page

    def register_app_id(self, identifier: str, description: str) -> None:
        page = self.open("app-ids/new")
        page.get_by_label("Description", exact=True).fill(description)
        page.get_by_label("Bundle ID", exact=True).fill(identifier)
        page.get_by_role("button", name="Register").click()
        expect(page.get_by_role("heading", name=description, level=1)).to_be_visible()

    def create_service_id(
        self, identifier: str, description: str, *, of: str, return_urls: list[str], domains: str = "127.0.0.1"
    ) -> None:
        page = self.open("service-ids/new")
        fill_service_id(page, identifier, description, of=of, return_urls=return_urls, domains=domains)
        page.get_by_role("button", name="Create").click()
        expect(page.get_by_role("heading", name=description, level=1)).to_be_visible()

    def create_key(self, name: str, *, of: str) -> str:
        """Makes a key and stays on its page. Returns its Key ID."""
        page = self.open("keys/new")
        page.get_by_label("Name", exact=True).fill(name)
        page.get_by_label("App ID", exact=True).select_option(of)
        page.get_by_role("button", name="Create key").click()
        expect(page.get_by_role("heading", name=name, level=1)).to_be_visible()
        return facts(page)["Key ID"]

    def download_key(self, key_id: str) -> str:
        """Presses the button on the key's page, once. Returns what is in the file."""
        page = self.open(f"keys/{key_id}")
        with page.expect_download() as download:
            page.get_by_role("button", name="Download AuthKey").click()
        assert download.value.suggested_filename == f"AuthKey_{key_id}.p8"
        return Path(download.value.path()).read_text()

    def import_apple_key(self, key_id: str, name: str, *, of: str, private_pem: str) -> None:
        page = self.open("apple-keys/new")
        page.get_by_label("Content of the .p8 file").fill(private_pem)
        page.get_by_label("Key ID").fill(key_id)
        page.get_by_label("Apple Team ID").fill("ABCDE12345")
        page.get_by_label("Name", exact=True).fill(name)
        page.get_by_label("App ID", exact=True).select_option(of)
        page.get_by_role("button", name="Import key").click()
        expect(page.get_by_role("heading", name=name, level=1)).to_be_visible()

    def connect_apple(self, services_id: str, key_id: str, *, of: str) -> None:
        page = self.open(f"apple/new?app={of}&key={key_id}")
        page.get_by_label("Services ID").fill(services_id)
        page.get_by_role("button", name="Connect").click()
        expect(page.get_by_role("status")).to_contain_text("is connected")

    def add_email_source(self, source: str, *selectors: str) -> None:
        page = self.open("email-sources/new")
        page.get_by_label("Domain or address", exact=True).fill(source)
        page.get_by_label("DKIM selectors", exact=True).fill("\n".join(selectors))
        page.get_by_role("button", name="Add").click()
        expect(page.get_by_role("heading", name=source, level=1)).to_be_visible()

    def reload_until(self, words: str) -> None:
        """Reloads the page until it shows these words: what Pippin does a moment after an answer."""
        page = self.page

        def shows() -> bool:
            if page.get_by_role("main").get_by_text(words, exact=True).count() > 0:
                return True
            page.reload()
            return False

        until(shows, lambda: f"{page.url} never showed {words!r}: {page.inner_text('main')[:400]!r}")

    def revoke_key(self, key_id: str, reason: str) -> None:
        page = self.open(f"keys/{key_id}")
        page.get_by_label(f"Type {key_id} to confirm").fill(key_id)
        page.get_by_label("Reason", exact=True).fill(reason)
        page.get_by_role("button", name="Revoke key").click()
        expect(page.get_by_role("status")).to_contain_text("The key is revoked")


def fill_service_id(
    page: Page, identifier: str, description: str, *, of: str, return_urls: list[str], domains: str = "127.0.0.1"
) -> None:
    """Types into the form of a new Service ID, and leaves the sending to the caller."""
    page.get_by_label("App ID", exact=True).select_option(of)
    page.get_by_label("Description", exact=True).fill(description)
    page.get_by_label("Identifier", exact=True).fill(identifier)
    page.get_by_label("Domains", exact=True).fill(domains)
    for number, url in enumerate(return_urls, start=1):
        return_url(page, number).fill(url)


def return_url(page: Page, number: int):
    return page.get_by_label(f"Return URL {number}", exact=True)


def facts(page: Page) -> dict[str, str]:
    """What a page offers to copy, by label: `facts(page)["Team ID"]`."""
    listed = page.locator("dl.facts > div").evaluate_all(
        "rows => rows.map(row => [row.querySelector('dt').textContent, row.querySelector('dd code')?.textContent])"
    )
    return {label: value for label, value in listed if value is not None}


def sign_in(page: Page, pippin: Pippin, email: str, password: str) -> None:
    """Signs in at the system team's hosted page, and ends at the list of teams."""
    page.goto(f"{pippin.url}/t/{SYSTEM_TEAM}/account/session")
    send_password(page, email, password)
    page.wait_for_url(f"{pippin.url}/console")


def send_password(page: Page, email: str, password: str) -> None:
    page.get_by_label("Email address", exact=True).fill(email)
    page.get_by_label("Password", exact=True).fill(password)
    page.get_by_role("button", name="Sign in", exact=True).click()


def sign_out(page: Page) -> None:
    page.locator("summary", has_text=re.compile(r"^\s*O\s*$")).click()
    page.get_by_role("button", name="Sign out").click()


def fill_set_up(page: Page, *, password: str = PASSWORD, team: str = TEAM) -> None:
    """Types into the form behind the set-up link, and leaves the sending to the caller."""
    page.get_by_label("First name", exact=True).fill("Olive")
    page.get_by_label("Last name", exact=True).fill("Branch")
    page.get_by_label("Email address", exact=True).fill(EMAIL)
    page.get_by_label("Password", exact=True).fill(password)
    page.get_by_label("Team name", exact=True).fill(team)
    page.get_by_role("radio", name="Sandbox").check()


def set_up(page: Page, pippin: Pippin) -> Console:
    """First-run set-up: from the one-time link to an operator's account and a first team."""
    link = pippin.setup_link()
    page.goto(link)
    fill_set_up(page)
    page.get_by_role("button", name="Set up Pippin").click()
    expect(page.get_by_role("heading", name=TEAM, level=1)).to_be_visible()
    return Console(
        url=pippin.url, team_id=page.url.rsplit("/", 1)[1], email=EMAIL, password=PASSWORD,
        set_up_link=link, storage_state=page.context.storage_state(),
    )
