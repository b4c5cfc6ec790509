"""Notifications to an app: the address is saved, tried, found failing, and what was sent is sent again."""

import base64
import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from console import facts
from web_site import WebSite


@pytest.fixture
def server() -> Iterator[WebSite]:
    server = WebSite()
    server.start()
    yield server
    server.stop()


def send_test(page: Page, event: str) -> None:
    form = page.get_by_role("region", name="Send a test event")
    form.get_by_label("Event", exact=True).select_option(event)
    form.get_by_role("button", name="Send test event").click()
    expect(page.get_by_role("status")).to_contain_text("The test event is being sent")


def claims(body: bytes) -> dict:
    """What a notice says, its signature aside."""
    payload = json.loads(body)["payload"].split(".")[1]
    return json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))


def test_an_address_is_tried_and_a_notice_sent_again(story_team, server: WebSite):
    console, team = story_team("NOTICES001")
    page = console.open("notifications")
    expect(page.get_by_text("No App ID has a notification URL yet")).to_be_visible()
    page.get_by_role("main").get_by_role("link", name="App IDs").click()
    page.get_by_role("link", name="Acme", exact=True).click()
    page.get_by_label("Notification URL", exact=True).fill(f"http://127.0.0.1:{server.port}/apple")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("Saved")

    console.open("notifications")
    send_test(page, "consent-revoked")
    console.reload_until("Status 404")
    expect(page.get_by_text("Waiting", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Send it again")).to_have_count(0)

    server.pages["/apple"] = (200, {}, "Thank you")
    console.open("notifications")
    send_test(page, "account-delete")
    console.reload_until("Delivered")
    expect(page.get_by_text("Status 200", exact=True)).to_be_visible()
    expect(page.get_by_text("Thank you", exact=True)).to_be_visible()
    jti = facts(page)["jti"]
    page.get_by_role("button", name="Send it again").click()
    expect(page.get_by_role("status")).to_contain_text("being sent again")
    while page.get_by_text("Status 200", exact=True).count() < 2:
        console.reload_until("Delivered")
    sent = [claims(body) for path, body in server.received if path == "/apple"]
    assert [notice["jti"] for notice in sent[1:]] == [jti, jti]
    assert json.loads(sent[-1]["events"])["type"] == "account-delete"

    console.open("notifications?state=delivered")
    expect(page.get_by_role("main").get_by_role("row")).to_have_count(2)
    page.get_by_role("link", name="Take off the filter State: Delivered").click()
    expect(page.get_by_text("2 notifications")).to_be_visible()
    log = console.open("audit").locator("ul.events")
    for action in ("Test notification sent", "Notification sent again"):
        expect(log.get_by_text(action).first).to_be_visible()
