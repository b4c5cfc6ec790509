"""Signing in at Apple, which is simulated on another site of this machine."""

import json
import signal
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

import database
import logs
import page_checks
from server import Pippin
from waiting import SECONDS

CALLBACK = "/t/DEMOTEAM01/auth/callback/apple"


@pytest.fixture(scope="module")
def pippin(secrets: set[str]) -> Iterator[Pippin]:
    with Pippin.running("--demo", "--simulate-apple") as server:
        yield server
        server.stop()
        assert logs.requests(server.log) > 0
        assert logs.leaks([server.log, *server.data.rglob("*.log")], secrets) == []


def go_to_apple(pippin: Pippin, page: Page) -> None:
    page.goto(f"http://127.0.0.1:{pippin.port}/demo")
    page.get_by_role("link", name="Sign in with Pippin").click()
    page.get_by_role("link", name="Continue with Apple").click()
    expect(page.get_by_role("heading", name="Sign in to")).to_be_visible()
    assert page.url.startswith(f"http://apple.localhost:{pippin.port}/")


def choose(page: Page, name: str) -> None:
    page.get_by_role("button", name=name).click()


def choose_without_waiting(page: Page, name: str) -> None:
    page.get_by_role("button", name=name).click(no_wait_after=True)


def disturb(pippin: Pippin, page: Page, place: str, fault: str) -> None:
    """Has the simulator do something wrong from now on; an empty fault ends it."""
    page.goto(f"http://apple.localhost:{pippin.port}/apple")
    page.get_by_label(place).select_option(fault)
    page.get_by_role("button", name="Save").click()


def delivered(page: Page) -> dict:
    user = page.locator(".code", has=page.get_by_role("button", name="Copy user")).locator("code").inner_text()
    return json.loads(user)


def test_a_person_comes_back_from_apple_with_a_name_that_comes_once(pippin: Pippin, page: Page, screenshot):
    go_to_apple(pippin, page)
    screenshot(page, "apple-simulator")
    choose(page, "Rita Regular")
    expect(page.get_by_role("heading", name="Hello Rita")).to_be_visible()
    assert delivered(page) == {
        "name": {"firstName": "Rita", "lastName": "Regular"}, "email": "rita@icloud.example",
    }

    go_to_apple(pippin, page)
    choose(page, "Rita Regular")
    expect(page.get_by_text("You have been here before")).to_be_visible()

    go_to_apple(pippin, page)
    choose(page, "Rolf Reluctant")
    expect(page.get_by_role("alert")).to_contain_text("You cancelled")
    assert page_checks.faults(page) == []


def test_a_hidden_address_stays_the_relay_that_apple_gave(pippin: Pippin, page: Page):
    go_to_apple(pippin, page)
    choose(page, "Hiro Hidden")
    expect(page.get_by_role("heading", name="Hello Hiro")).to_be_visible()
    assert delivered(page)["email"].endswith("@privaterelay.appleid.com")
    claim = page.get_by_role("row").filter(has=page.get_by_role("rowheader", name="is_private_email", exact=True))
    expect(claim.get_by_role("cell")).to_contain_text("true")


def test_trouble_at_apple_is_told_in_words_and_loses_no_name(pippin: Pippin, page: Page, new_context, screenshot):
    desk = new_context("light").new_page()
    disturb(pippin, desk, "The token endpoint", "trouble")
    try:
        go_to_apple(pippin, page)
        choose(page, "Mina Managed")
        expect(page.get_by_role("heading", name="Apple does not answer")).to_be_visible()
        screenshot(page, "apple-trouble")
    finally:
        disturb(pippin, desk, "The token endpoint", "")
    page.get_by_role("link", name="Try again").click()
    expect(page.get_by_role("heading", name="Hello Mina")).to_be_visible()
    assert delivered(page)["name"] == {"firstName": "Mina", "lastName": "Managed"}


def test_kill_before_the_browser_is_back_keeps_the_name(pippin: Pippin, page: Page):
    """Apple has posted, and nobody came back yet: the answer lies in the database."""
    go_to_apple(pippin, page)
    held = []

    def post_and_stay(route):
        held.append(route.fetch(max_redirects=0).headers["location"])
        route.abort()

    page.route(lambda url: CALLBACK in url, post_and_stay)
    choose_without_waiting(page, "Cleo Child")
    page.wait_for_event("requestfailed", lambda request: CALLBACK in request.url)
    kill(pippin)
    page.unroute_all()

    page.goto(pippin.url + held[0])
    expect(page.get_by_role("heading", name="Hello Cleo")).to_be_visible()
    assert delivered(page)["name"] == {"firstName": "Cleo", "lastName": "Child"}


def test_kill_while_apple_is_asked_keeps_the_name(pippin: Pippin, page: Page, new_context):
    desk = new_context("light").new_page()
    disturb(pippin, desk, "The token endpoint", "silent")
    go_to_apple(pippin, page)
    with page.expect_request(lambda request: CALLBACK in request.url and "state=" in request.url) as asked:
        choose_without_waiting(page, "Nora Newcomer")
    # Who came is stored before Apple is asked.
    database.until(pippin, "SELECT 1 FROM upstream_identities WHERE form_given_name = 'Nora'")
    kill(pippin)

    # In another tab: this one shows an error by now, and Chromium asks again by itself whenever it likes.
    came = asked.value.url
    tab = page.context.new_page()
    page.close()
    page = tab
    # The request that died had the answer for itself, for twenty seconds at most.
    page.goto(came)
    expect(page.get_by_role("heading", name="One moment")).to_be_visible()
    database.lapse(pippin)
    page.get_by_role("link", name="Try again").click()
    expect(page.get_by_role("heading", name="Hello Nora")).to_be_visible()
    assert delivered(page)["name"] == {"firstName": "Nora", "lastName": "Newcomer"}


def kill(pippin: Pippin) -> None:
    """Ends Pippin as a power cut does, and starts it again."""
    process, pippin.process = pippin.process, None
    process.send_signal(signal.SIGKILL)
    process.wait(SECONDS)
    pippin.start()
