"""Second factors in a real browser: an authenticator app, passkeys played by Chromium, recovery codes."""

import re
import time
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import Error, Locator, Page, expect

from authenticators import VirtualAuthenticator, code
from cast import ADA, BEN, CLEO, Person, registered
from server import Pippin

FACTORS = "FACTORS001"
STRICT = "STRICT0001"
SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"


@pytest.fixture(scope="module", autouse=True)
def teams(pippin: Pippin, secrets: set[str]) -> None:
    people = registered((ADA, BEN, CLEO))
    provisioned = [{**people[2], "totpSecret": SECRET}]
    pippin.apply(
        {
            "teams": [
                {"id": FACTORS, "name": "Factors", "mode": "sandbox", "users": people[:2] + provisioned},
                {"id": STRICT, "name": "Strict", "mode": "sandbox", "secondFactor": "required", "users": people},
            ]
        }
    )
    secrets.add(SECRET)


def account(pippin: Pippin, team: str = FACTORS) -> str:
    return f"{pippin.url}/t/{team}/account"


def type_password(page: Page, pippin: Pippin, person: Person, team: str = FACTORS) -> None:
    page.goto(f"{account(pippin, team)}/session")
    page.get_by_label("Email address", exact=True).fill(person.email)
    page.get_by_label("Password", exact=True).fill(person.password)
    page.get_by_role("button", name="Sign in", exact=True).click()


def expect_account(page: Page, pippin: Pippin, team: str = FACTORS) -> None:
    page.wait_for_url(account(pippin, team))
    expect(page.get_by_role("heading", name="Two-step verification")).to_be_visible()


def read_secret(page: Page, secrets: set[str]) -> str:
    """Reads the key that the page shows beside its QR code."""
    expect(page.get_by_role("img", name=re.compile("QR code"))).to_be_visible()
    secret = page.locator("pre code").inner_text()
    secrets.update({secret, secret.replace(" ", "")})
    return secret


def keep_codes(page: Page, secrets: set[str]) -> list[str]:
    """Reads the recovery codes and goes on."""
    expect(page.get_by_role("heading", name="Your recovery codes")).to_be_visible()
    codes = page.locator("pre code").inner_text().split()
    assert len(set(codes)) == 10
    secrets.update(codes)
    return codes


def test_an_app_is_added_and_asked_for(page: Page, new_context, pippin: Pippin, secrets, screenshot):
    type_password(page, pippin, ADA)
    expect_account(page, pippin)
    page.get_by_role("link", name="Add an authenticator app").click()
    secret = read_secret(page, secrets)
    screenshot(page, "factor-totp")
    used = code(secret)
    page.get_by_label("Code that the app shows now").fill(used)
    page.get_by_role("button", name="Confirm").click()
    codes = keep_codes(page, secrets)
    screenshot(page, "factor-codes")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download").click()
    assert Path(download.value.path()).read_text().split() == codes
    page.get_by_role("link", name="I've saved my codes").click()
    expect_account(page, pippin)
    expect(page.get_by_role("link", name="Authenticator app")).to_be_visible()
    expect(page.get_by_text("10 codes are left")).to_be_visible()
    screenshot(page, "factor-account")

    other = new_context().new_page()
    type_password(other, pippin, ADA)
    expect(other.get_by_role("heading", name="Confirm that it is you")).to_be_visible()
    screenshot(other, "factor-prove")
    other.get_by_label("Six-digit code").fill(used)
    other.get_by_role("button", name="Continue").click()
    expect(other.get_by_role("alert")).to_contain_text("used before")
    other.get_by_label("Six-digit code").fill(code(secret, time.time() + 30))
    other.get_by_role("button", name="Continue").click()
    expect_account(other, pippin)

    lost = new_context().new_page()
    type_password(lost, pippin, ADA)
    lost.get_by_role("link", name="Use a recovery code").click()
    lost.get_by_label("Recovery code").fill(codes[0].upper())
    lost.get_by_role("button", name="Continue").click()
    expect_account(lost, pippin)
    expect(lost.get_by_text("9 codes are left")).to_be_visible()


def press_unless_answered(button: Locator) -> None:
    """Presses a button that goes as soon as the browser answers the page's offer by itself, which it may at any moment."""
    with suppress(Error):
        button.evaluate_all("buttons => buttons.forEach(button => button.click())")


def test_a_passkey_signs_in_alone_and_as_second_step(page: Page, pippin: Pippin, secrets, screenshot):
    device = VirtualAuthenticator(page)
    type_password(page, pippin, BEN)
    expect_account(page, pippin)
    page.get_by_role("link", name="Add a passkey").click()
    screenshot(page, "factor-passkey")
    page.get_by_label("Name", exact=True).fill("Ben's laptop")
    page.get_by_role("button", name="Create the passkey").click()
    keep_codes(page, secrets)
    assert len(device.credentials()) == 1
    page.get_by_role("link", name="I've saved my codes").click()
    expect_account(page, pippin)
    expect(page.get_by_role("link", name="Ben's laptop")).to_be_visible()

    page.get_by_role("button", name="Sign out").click()
    device.answer(False)
    page.goto(f"{account(pippin)}/session")
    screenshot(page, "factor-sign-in")
    device.answer(True)
    press_unless_answered(page.get_by_role("button", name="Sign in with a passkey"))
    expect_account(page, pippin)
    expect(page.get_by_text(BEN.email)).to_be_visible()

    page.context.clear_cookies()
    device.answer(False)
    type_password(page, pippin, BEN)
    expect(page.get_by_role("heading", name="Confirm that it is you")).to_be_visible()
    device.answer(True)
    page.get_by_role("button", name="Use your passkey").click()
    expect_account(page, pippin)


def test_a_team_that_requires_one_has_people_set_it_up(page_in_each_look: Page, pippin: Pippin, secrets, screenshot):
    page = page_in_each_look
    person = {"light": ADA, "dark": BEN}.get(
        "dark" if page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches") else "light", ADA
    )
    if page.viewport_size["width"] < 500:
        person = CLEO
    type_password(page, pippin, person, STRICT)
    expect(page.get_by_role("heading", name="Protect your account")).to_be_visible()
    screenshot(page, "factor-choices")
    page.goto(account(pippin, STRICT))
    expect(page.get_by_role("button", name="Sign in", exact=True)).to_be_visible()

    type_password(page, pippin, person, STRICT)
    page.get_by_role("link", name="Authenticator app").click()
    secret = read_secret(page, secrets)
    screenshot(page, "factor-enrol")
    page.get_by_label("Code that the app shows now").fill(code(secret))
    page.get_by_role("button", name="Confirm").click()
    keep_codes(page, secrets)
    page.get_by_role("link", name="I've saved my codes").click()
    expect_account(page, pippin, STRICT)
    expect(page.get_by_text("Strict requires two-step verification.")).to_be_visible()


def test_an_app_from_the_registry_file_is_asked_for(page: Page, pippin: Pippin):
    type_password(page, pippin, CLEO)
    page.get_by_label("Six-digit code").fill(code(SECRET))
    page.get_by_role("button", name="Continue").click()
    expect_account(page, pippin)
