"""*Try it*: a team sees a whole sign-in as one of its Service IDs, before any app exists."""

import pytest
from playwright.sync_api import Page, expect

import hosted
from app_sign_in import expect_signed_in, start_sign_in
from cast import CLEO
from console import Console
from sample_app import SampleApp

STEPS = [
    "Your app sends the browser to Pippin",
    "The browser comes back to your app",
    "Your server signs a client secret",
    "Your server redeems the code",
    "Your server checks the id_token",
]


@pytest.fixture
def console(orchard: Console, signed_in_console: Console) -> Console:
    return signed_in_console


def begin(console: Console, service_id: str) -> Page:
    page = console.open(f"service-ids/{service_id}")
    page.get_by_role("link", name="Try it").click()
    page.get_by_role("button", name="Start").click()
    return page


def step(page: Page, title: str):
    return page.get_by_role("listitem").filter(has=page.get_by_role("heading", name=title, exact=True))


def value(page: Page, title: str, name: str):
    """What a step's tables say of a parameter or claim."""
    row = step(page, title).get_by_role("row").filter(has=page.get_by_role("rowheader", name=name, exact=True))
    return row.get_by_role("cell")


def test_a_test_sign_in_shows_every_step_and_uses_nothing_up(
    console: Console, client: SampleApp, new_context, screenshot
):
    console.register_app_id("com.orchard.mead", "Mead app")
    console.create_service_id(
        "com.orchard.mead.web", "Mead Hall", of="com.orchard.mead", return_urls=[client.return_url]
    )
    page = begin(console, "com.orchard.mead.web")
    hosted.prove(page, CLEO)
    hosted.expect_consent_sheet(page)
    hosted.rename(page, "Cleopatra", "Philopator")
    hosted.hide_email(page)
    hosted.press_continue(page)

    expect(page.get_by_role("heading", name="Sign-in, step by step")).to_be_visible()
    expect(page.get_by_text("Worked", exact=True)).to_be_visible()
    expect(page.get_by_role("main").get_by_role("heading", level=2)).to_have_text(STEPS)
    expect(value(page, STEPS[0], "client_id")).to_contain_text("com.orchard.mead.web")
    expect(value(page, STEPS[0], "code_challenge_method")).to_contain_text("S256")
    sent = value(page, STEPS[0], "state").locator("code").inner_text()
    expect(value(page, STEPS[1], "state").locator("code")).to_have_text(sent)
    expect(value(page, STEPS[1], "user")).to_contain_text("Cleopatra")
    expect(value(page, STEPS[3], "grant_type")).to_contain_text("authorization_code")
    expect(value(page, STEPS[3], "token_type")).to_contain_text("Bearer")
    expect(value(page, STEPS[4], "iss")).to_contain_text(f"{console.url}/t/{console.team_id}")
    expect(value(page, STEPS[4], "aud")).to_contain_text("com.orchard.mead.web")
    expect(value(page, STEPS[4], "is_private_email")).to_contain_text("true")
    assert CLEO.email not in page.content()
    screenshot(page, "trial")

    key = console.create_key("Mead server", of="com.orchard.mead")
    pem = console.download_key(key)
    client.use(f"{console.url}/t/{console.team_id}", console.team_id, "com.orchard.mead.web", key, pem)
    visitor = new_context().new_page()
    start_sign_in(visitor, client)
    hosted.prove(visitor, CLEO)
    hosted.press_continue(visitor)
    expect_signed_in(visitor, client)
    assert "Cleopatra" in client.callbacks[0]["user"]


def test_a_cancelled_test_sign_in_says_what_the_app_is_told(console: Console, screenshot):
    console.register_app_id("com.orchard.juice", "Juice app")
    console.create_service_id("com.orchard.juice.web", "Juice Bar", of="com.orchard.juice", return_urls=[])
    page = begin(console, "com.orchard.juice.web")
    hosted.cancel(page)

    expect(page.get_by_text("Cancelled", exact=True)).to_be_visible()
    expect(page.get_by_text("The person cancelled, and the app was told so.")).to_be_visible()
    expect(page.get_by_role("main").get_by_role("heading", level=2)).to_have_text(STEPS[:2])
    expect(value(page, STEPS[1], "error")).to_contain_text("user_cancelled_authorize")
    screenshot(page, "trial-cancelled")
    page.get_by_role("link", name="Run again").click()
    expect(page.get_by_role("heading", name="Try a sign-in")).to_be_visible()


def test_a_test_sign_in_that_asks_for_a_name_in_the_address_is_refused_beside_the_choice(console: Console):
    console.register_app_id("com.orchard.damson", "Damson app")
    console.create_service_id("com.orchard.damson.web", "Damson Jar", of="com.orchard.damson", return_urls=[])
    page = console.open("service-ids/com.orchard.damson.web/test-sign-ins/new")
    page.get_by_role("radio", name="In the address").check()
    page.get_by_role("button", name="Start").click()
    choices = page.get_by_role("group", name="The answer comes back")
    expect(choices).to_contain_text("Name and email are answered by form_post only")
    expect(page.get_by_role("radio", name="In the address")).to_be_checked()

    page.get_by_label("Name", exact=True).uncheck()
    page.get_by_label("Email address", exact=True).uncheck()
    page.get_by_role("button", name="Start").click()
    hosted.prove(page, CLEO)
    hosted.press_continue(page)
    expect(page.get_by_text("Worked", exact=True)).to_be_visible()
    expect(page.get_by_text("GET to the return URL")).to_be_visible()
