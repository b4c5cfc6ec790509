"""The samples of the documentation, as somebody would use them who puts in their own values."""

import json
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

import hosted
from cast import BEN, Acme, SigningKey
from sample_app import SampleApp
from server import ROOT, Pippin

SAMPLES = ROOT / "docs/samples"


def with_values(pippin: Pippin, team: Acme, app: SampleApp) -> str:
    page = (SAMPLES / "web.html").read_text()
    for name, value in [
        ("base", f"{pippin.url}/t/{team.id}"), ("client_id", team.client_id), ("redirect_uri", app.return_url),
    ]:
        page, count = re.subn(rf'\b{name}: "[^"]+"', f'{name}: "{value}"', page, count=1)
        assert count == 1
    return page


@pytest.fixture(scope="module")
def app() -> Iterator[SampleApp]:
    app = SampleApp()
    app.start()
    yield app
    app.stop()


@pytest.fixture(scope="module")
def team(pippin: Pippin, app: SampleApp) -> Acme:
    team = Acme(return_url=app.return_url, key=SigningKey("SAMPLESKEY"), id="SAMPLETEAM")
    pippin.apply(team.registry())
    return team


@pytest.fixture
def sample(pippin: Pippin, team: Acme, app: SampleApp, page: Page) -> Page:
    """The web page, opened on the app's own origin."""
    html = with_values(pippin, team, app)
    page.clock.install()
    page.route(f"{app.url}/sample", lambda route: route.fulfill(body=html, content_type="text/html"))
    page.goto(f"{app.url}/sample")
    return page


def popup_of(sample: Page) -> Page:
    with sample.expect_popup() as opened:
        sample.get_by_role("button", name="Sign in").click()
    return opened.value


def sign_in(sample: Page) -> None:
    popup = popup_of(sample)
    hosted.prove(popup, BEN)
    hosted.expect_sheet(popup)
    consent = popup.get_by_role("radio").first
    if consent.is_visible():
        hosted.share_email(popup)
    hosted.press_continue(popup)
    answer = sample.locator("#answer")
    expect(answer).to_contain_text('"code":"c')
    if not popup.is_closed():
        popup.wait_for_event("close")
    # Nothing comes after it, though the window has closed.
    sample.clock.run_for(5_000)
    assert set(json.loads(answer.inner_text())) >= {"code", "nonce"}


def test_the_web_page_gets_a_code_by_popup(sample: Page):
    sign_in(sample)


def test_the_web_page_says_so_when_somebody_closes_the_popup_and_works_again(sample: Page):
    popup = popup_of(sample)
    expect(popup.get_by_role("heading").first).to_be_visible()
    popup.close()
    expect(sample.locator("#answer")).to_contain_text("The sign-in window was closed")
    sign_in(sample)


def test_the_web_page_says_so_when_somebody_cancels(sample: Page):
    hosted.cancel(popup_of(sample))
    expect(sample.locator("#answer")).to_have_text("You cancelled. You are not signed in, and nothing was shared.")


def test_the_web_page_says_so_when_the_browser_opens_no_window(sample: Page):
    sample.evaluate("window.open = () => null")
    sample.get_by_role("button", name="Sign in").click()
    expect(sample.locator("#answer")).to_contain_text("Allow windows for this page")
