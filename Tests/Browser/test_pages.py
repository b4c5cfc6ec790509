"""Every page as a careful reviewer looks at it: in light, in dark, on a phone; and the forms without JavaScript."""

import dataclasses
import re
from dataclasses import dataclass
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

import hosted
import watch
from cast import ADA, BEN, CLEO
from console import Console, facts, send_password, sign_in, sign_out
from sample_app import SampleApp
from server import Pippin
from visits import expect_signed_in, sign_in_for_the_first_time, start_sign_in

LONG = "a-service-with-a-long-name.of-a-company-with-a-long-name.orchard.example"


@dataclass(frozen=True)
class Garden:
    """Addresses of a team in which there is something of everything."""

    console: list[str]
    authorize: str
    return_url: str


@pytest.fixture(scope="module")
def garden(orchard: Console, browser, pippin: Pippin, secrets: set[str]) -> Garden:
    context = browser.new_context(locale="en-US", storage_state=orchard.storage_state)
    context.set_default_timeout(15_000)
    console = orchard.on(context.new_page())
    client = SampleApp()
    client.start()
    console.register_app_id("com.orchard.garden", "Garden")
    console.create_service_id("com.orchard.garden.web", "Garden Gate", of="com.orchard.garden",
                              return_urls=[client.return_url])
    console.create_service_id(
        f"com.{LONG}", "A name that is far longer than any app would be called by its friends", domains=LONG,
        of="com.orchard.garden", return_urls=[f"https://{LONG}/callback/{'x' * 120}?number={n}" for n in range(10)],
    )
    revoked = console.create_key("Old shed", of="com.orchard.garden")
    console.revoke_key(revoked, "It was lost")
    key = console.create_key("New shed", of="com.orchard.garden")
    waiting = console.create_key("Greenhouse", of="com.orchard.garden")
    file = console.download_key(key)
    console.import_apple_key("KEY7654321", "Garden at Apple", of="com.orchard.garden", private_pem=file)
    console.add_email_source(f"garden.{LONG}", "s1", "2026-11.garden")
    client.use(f"{console.url}/t/{console.team_id}", console.team_id, "com.orchard.garden.web", key,
               file)
    visitor = browser.new_context(locale="en-US")
    sign_in_for_the_first_time(visitor.new_page(), client, ADA)
    secrets.update(callback["code"] for callback in client.callbacks)
    visitor.close()
    client.stop()
    page = console.open("service-ids/com.orchard.garden.web/trials/new")
    page.get_by_role("button", name="Start").click()
    hosted.prove(page, BEN)
    hosted.press_continue(page)
    expect(page.get_by_text("Worked", exact=True)).to_be_visible()
    trial = page.url.rsplit("/", 1)[1]
    person = facts_of_the_first_user(console)
    page.context.close()
    team = [
        "", "app-ids", "app-ids?q=nothing", "app-ids/new", "app-ids/com.orchard.garden",
        "service-ids", "service-ids/new", "service-ids/com.orchard.garden.web", f"service-ids/com.{LONG}",
        "service-ids/com.orchard.garden.web/trials/new", f"trials/{trial}",
        "keys", "keys/new", f"keys/{revoked}", f"keys/{waiting}", "apple-keys/new", "apple-keys/KEY7654321",
        "domains/127.0.0.1", f"domains/{LONG}",
        "email-sources", "email-sources?q=nothing", "email-sources/new", f"email-sources/garden.{LONG}",
        "users", "users?q=nobody", f"users/{person}", "audit",
    ]
    authorize = (
        f"{console.url}/t/{console.team_id}/auth/authorize?response_type=code&response_mode=form_post"
        f"&client_id=com.orchard.garden.web&scope=name%20email&redirect_uri={quote(client.return_url, safe='')}"
    )
    return Garden(console=team, authorize=authorize, return_url=client.return_url)


def facts_of_the_first_user(console: Console) -> str:
    page = console.open("users?q=ada")
    page.get_by_role("link", name="Ada Lovelace").click()
    expect(page.get_by_role("heading", name="Ada Lovelace", level=1)).to_be_visible()
    return facts(page)["User ID"]


def test_every_page_of_the_console(
    garden: Garden, orchard: Console, page_in_each_look: Page, screenshot
):
    page = page_in_each_look
    page.context.add_cookies(orchard.storage_state["cookies"])
    console = orchard.on(page)
    found, is_phone = [], page.viewport_size["width"] == 390  # axe sees the same pages in light and dark
    for number, path in enumerate([*garden.console, "no-such-section", "/", "/teams/new"]):
        console.open(path)
        for event in page.locator("ul.events details").all()[:3]:
            event.locator("summary").click()
        screenshot(page, f"console-{number:02}-" + (re.match(r"/?([a-z-]*)", path)[1] or "home"))
        found += watch.overhang(page) if is_phone else watch.faults(page)
    assert found == []


def test_every_hosted_page(
    garden: Garden, orchard: Console, page_in_each_look: Page, pippin: Pippin, screenshot
):
    page, found = page_in_each_look, []

    def look(name: str, heading: str) -> None:
        expect(page.get_by_role("heading", name=heading, level=1)).to_be_visible()
        screenshot(page, f"hosted-{name}")
        found.extend(watch.faults(page))

    page.goto(garden.authorize)
    look("sign-in", "Sign in to Garden Gate")
    hosted.prove(page, dataclasses.replace(CLEO, password="not-her-password"))
    expect(page.get_by_role("alert")).to_be_visible()
    look("refused", "Sign in to Garden Gate")
    hosted.prove(page, CLEO)
    look("consent", "Continue to Garden Gate")
    page.goto(f"{pippin.url}/t/{orchard.team_id}/account")
    look("account", "Your Orchard account")
    for name, heading in [
        ("password", "Change your password"), ("email", "Change your e-mail address"),
        ("deletion", "Delete your account"),
    ]:
        page.goto(f"{pippin.url}/t/{orchard.team_id}/account/{name}")
        look(name, heading)
    page.goto(f"{pippin.url}/t/{orchard.team_id}/account")
    page.get_by_role("button", name="Sign out", exact=True).click()
    look("signed-out", "You are signed out")
    page.get_by_role("link", name="Sign in again").click()
    look("session", "Sign in to your account")
    page.get_by_role("link", name="Forgot your password?").click()
    look("recovery", "Forgot your password?")
    page.get_by_role("link", name="Back to signing in").click()
    page.get_by_role("link", name="Create an account").click()
    look("registration", "Create an account")
    page.get_by_role("link", name="I have an account").click()
    send_password(page, ADA.email, ADA.password)
    page.goto(garden.authorize)
    hosted.expect_confirmation(page)
    look("continue", "Continue to Garden Gate")
    page.route(f"{garden.return_url}**", lambda route: route.abort("aborted"))
    hosted.press_continue(page)
    look("exit", "Back to Garden Gate")
    page.goto(garden.authorize.replace("callback", "elsewhere"))
    look("error", "This app’s sign-in is not set up right")
    page.goto(f"{pippin.url}/t/{orchard.team_id}/no-such-page")
    look("missing", "This page does not exist")
    assert found == []


def test_the_forms_need_no_script(orchard: Console, client: SampleApp, new_context, pippin: Pippin, secrets):
    """Sign in, register, save, download, try, revoke, delete, and sign in at an app, all with JavaScript off."""
    page = new_context(java_script_enabled=False).new_page()
    sign_in(page, pippin, orchard.email, orchard.password)
    console = orchard.on(page)
    console.register_app_id("com.orchard.plain", "Plain app")
    console.create_service_id(
        "com.orchard.plain.web", "Plain Bread", of="com.orchard.plain", return_urls=["", "", client.return_url]
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
