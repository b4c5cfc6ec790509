"""The samples of the documentation, as somebody would use them who puts in their own values."""

import json
import re

from playwright.sync_api import Page, expect

import hosted
from cast import BEN, Acme
from sample_app import SampleApp
from server import ROOT, Pippin

SAMPLES = ROOT / "docs/samples"


def with_values(pippin: Pippin, acme: Acme, app: SampleApp) -> str:
    page = (SAMPLES / "web.html").read_text()
    for name, value in [
        ("base", f"{pippin.url}/t/{acme.id}"), ("client_id", acme.client_id), ("redirect_uri", app.return_url),
    ]:
        page, count = re.subn(rf'\b{name}: "[^"]+"', f'{name}: "{value}"', page, count=1)
        assert count == 1
    return page


def test_the_web_page_gets_a_code_by_popup(pippin: Pippin, acme: Acme, sample_app: SampleApp, page: Page):
    html = with_values(pippin, acme, sample_app)
    page.route(f"{sample_app.url}/sample", lambda route: route.fulfill(body=html, content_type="text/html"))
    page.goto(f"{sample_app.url}/sample")
    with page.expect_popup() as opened:
        page.get_by_role("button", name="Sign in").click()
    popup = opened.value
    hosted.prove(popup, BEN)
    consent = popup.get_by_role("radio").first
    if consent.is_visible():
        hosted.share_email(popup)
    hosted.press_continue(popup)
    expect(page.locator("#answer")).to_contain_text('"code":"c')
    assert set(json.loads(page.locator("#answer").inner_text())) >= {"code", "nonce"}
