"""`pippin serve --demo`: what a person sees who has just run it."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

import hosted
import logs
import page_checks
from cast import Person
from console import PASSWORD, fill_set_up
from server import ROOT, Pippin, binary
from waiting import SECONDS


@pytest.fixture(scope="module")
def demo(secrets: set[str]) -> Iterator[Pippin]:
    with Pippin.running("--demo") as server:
        yield server
        server.stop()
        assert logs.requests(server.log) > 0
        assert logs.leaks([server.log, *server.data.rglob("*.log")], secrets) == []


def copied(page: Page, label: str) -> str:
    """What stands beside a copy button."""
    return page.locator("dl.facts > div", has=page.get_by_text(label, exact=True)).locator("dd code").inner_text()


def test_the_try_it_link_leads_to_a_sign_in_across_sites(
    demo: Pippin, page: Page, new_context, screenshot, secrets: set[str]
):
    page.goto(demo.printed("Sample"))
    screenshot(page, "demo")
    assert page_checks.faults(page) == []
    person = Person("Ada", "Lovelace", copied(page, "Email"), copied(page, "Password"))
    secrets.add(person.password)
    app = page.url.rsplit("/", 1)[0]
    assert app.startswith("http://127.0.0.1:") and demo.url.startswith("http://localhost:")

    page.get_by_role("link", name="Sign in with Pippin").click()
    assert page.url.startswith(demo.url)
    hosted.prove(page, person)
    hosted.expect_consent_sheet(page)
    hosted.share_email(page)
    hosted.press_continue(page)
    expect(page.get_by_role("heading", name="Hello Ada")).to_be_visible()
    assert page.url.startswith(app)
    user = page.locator(".code", has=page.get_by_role("button", name="Copy user")).locator("code").inner_text()
    assert json.loads(user) == {"name": {"firstName": "Ada", "lastName": "Lovelace"}, "email": person.email}
    claim = page.get_by_role("row").filter(has=page.get_by_role("rowheader", name="iss", exact=True))
    expect(claim.get_by_role("cell")).to_contain_text(f"{demo.url}/t/DEMOTEAM01")
    screenshot(page, "demo-result")
    assert page_checks.faults(page) == []

    page.get_by_role("link", name="Sign in again").click()
    hosted.expect_confirmation(page)
    hosted.press_continue(page)
    expect(page.get_by_role("heading", name=f"Hello {person.email}")).to_be_visible()
    expect(page.get_by_text("You have been here before")).to_be_visible()
    expect(page.get_by_role("button", name="Copy user")).to_have_count(0)

    elsewhere = new_context("phone").new_page()
    elsewhere.goto(app + "/demo")
    assert page_checks.faults(elsewhere) == []
    elsewhere.get_by_role("link", name="Sign in with Pippin").click()
    hosted.cancel(elsewhere)
    expect(elsewhere.get_by_role("alert")).to_contain_text("You cancelled")


def test_the_set_up_link_leads_to_the_demo_team(
    demo: Pippin, page: Page, screenshot, secrets: set[str]
):
    link = demo.printed("Set-up")
    secrets.update({link.rsplit("/", 1)[1], PASSWORD})
    page.goto(link)
    screenshot(page, "set-up")
    assert page_checks.faults(page) == []
    fill_set_up(page, password="apple", team="Seedlings")
    page.get_by_role("button", name="Set up Pippin").click()
    expect(page.locator("#field-password-error")).to_contain_text("Use at least 12 characters")
    expect(page.get_by_label("Password", exact=True)).to_have_value("")
    expect(page.get_by_label("First name")).to_have_value("Olive")
    expect(page.get_by_label("Team name")).to_have_value("Seedlings")
    expect(page.get_by_role("radio", name="Sandbox")).to_be_checked()

    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Set up Pippin").click()
    expect(page.get_by_role("heading", name="Seedlings", level=1)).to_be_visible()
    page.goto(demo.printed("Console"))
    page.get_by_role("link", name="Demo").click()
    expect(page.get_by_role("heading", name="Demo", level=1)).to_be_visible()
    page.get_by_role("navigation", name="Sections of Demo").get_by_role("link", name="Users").click()
    expect(page.get_by_role("link", name="Ada Lovelace")).to_be_visible()

    page.goto(link)
    expect(page.get_by_role("heading", name="This link is no longer valid")).to_be_visible()
    assert page_checks.faults(page) == []


def test_demo_and_simulator_are_refused_over_https(tmp_path: Path):
    options = ["--demo", "--simulate-apple", "--public-url", "https://localhost:8443", "--data", str(tmp_path)]
    done = subprocess.run([binary(), "serve", *options], cwd=ROOT, capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode != 0
    for option in ("--demo", "--simulate-apple"):
        assert f"{option} is for plain http: leave out --tls-cert, and https in --public-url" in done.stderr
