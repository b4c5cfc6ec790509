"""Connecting an account at Apple to one of the directory, on the person's own page, and parting again."""

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

import hosted
import logs
import page_checks
from cast import Person
from server import Pippin

ADA = Person("Ada", "Lovelace", "ada@acme.example", "plant-a-pip-today")


@pytest.fixture(scope="module")
def pippin(secrets: set[str]) -> Iterator[Pippin]:
    secrets.add(ADA.password)
    with Pippin.running("--demo", "--simulate-apple") as server:
        yield server
        server.stop()
        assert logs.leaks([server.log, *server.data.rglob("*.log")], secrets) == []


def section(page: Page):
    return page.get_by_role("region", name="Sign in with Apple")


def connect(pippin: Pippin, page: Page, name: str) -> None:
    section(page).get_by_role("button", name="Connect Apple").click()
    expect(page.get_by_role("heading", name="Sign in to")).to_be_visible()
    assert urlsplit(page.url).hostname == "apple.localhost"
    page.get_by_role("button", name=name).click()


def sub_at_the_app(page: Page, pippin: Pippin, name: str) -> str:
    """Whom the app sees when that person comes by way of Apple."""
    page.goto(f"http://127.0.0.1:{pippin.port}/demo")
    page.get_by_role("link", name="Sign in with Pippin").click()
    page.get_by_role("link", name="Continue with Apple").click()
    page.get_by_role("button", name=name).click()
    claim = page.get_by_role("row").filter(has=page.get_by_role("rowheader", name="sub", exact=True))
    return claim.get_by_role("cell").inner_text()


def test_somebody_with_a_password_connects_apple_and_parts_from_it(
    pippin: Pippin, page: Page, new_context, screenshot
):
    account = f"{pippin.url}/t/DEMOTEAM01/account"
    found = []

    def look(name: str) -> None:
        found.extend(page_checks.faults_in_every_look(page, lambda look: screenshot(page, f"apple-link-{name}", look)))

    page.emulate_media(reduced_motion="reduce")
    page.goto(account)
    hosted.prove(page, ADA)
    expect(section(page).get_by_role("button", name="Connect Apple")).to_be_visible()
    look("none")
    connect(pippin, page, "Rolf Reluctant")
    expect(page.get_by_role("status")).to_contain_text("You cancelled at Apple")
    look("cancelled")

    connect(pippin, page, "Hiro Hidden")
    expect(page.get_by_role("status")).to_contain_text("Apple is connected")
    expect(section(page)).to_contain_text("@privaterelay.appleid.com")
    look("connected")
    assert page.get_by_text("ada@acme.example").count() == 1

    # Somebody else's browser, in which nobody has signed in here.
    elsewhere = new_context("light").new_page()
    sub = sub_at_the_app(elsewhere, pippin, "Hiro Hidden")
    assert sub_at_the_app(elsewhere, pippin, "Rita Regular") != sub

    section(page).get_by_role("link").click()
    expect(page.get_by_role("heading", name="Sign in with Apple", level=1)).to_be_visible()
    look("detail")
    page.get_by_role("button", name="Disconnect Apple").click()
    expect(page.get_by_role("status")).to_contain_text("Apple is disconnected")
    assert sub_at_the_app(elsewhere, pippin, "Hiro Hidden") != sub

    # That account at Apple is somebody here by now.
    connect(pippin, page, "Hiro Hidden")
    expect(page.get_by_role("heading", name="This Apple Account already has an account here")).to_be_visible()
    look("taken")
    page.get_by_role("link", name="Back to your account").click()
    expect(section(page).get_by_role("button", name="Connect Apple")).to_be_visible()
    assert found == []


def test_it_works_without_a_script(pippin: Pippin, new_context):
    page = new_context(java_script_enabled=False).new_page()
    page.goto(f"{pippin.url}/t/DEMOTEAM01/account")
    hosted.prove(page, ADA)
    section(page).get_by_role("button", name="Connect Apple").click()
    page.get_by_role("button", name="Mina Managed").click()
    # Without a script the answer is posted by a button, and no page of another site is left on the way.
    page.get_by_role("button").first.click()
    expect(page.get_by_role("status")).to_contain_text("Apple is connected")
    section(page).get_by_role("link").click()
    page.get_by_role("button", name="Disconnect Apple").click()
    expect(page.get_by_role("status")).to_contain_text("Apple is disconnected")
