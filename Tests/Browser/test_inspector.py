"""A sign-in that fails, explained to its team; and a person handed out and forgotten."""

import base64
import dataclasses
import json
import re
import urllib.error
import urllib.parse
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

import database
import page_checks
from app_sign_in import sign_in_for_the_first_time
from backend import Backend, Visitor
from cast import ADA, DANA, Acme, SigningKey
from console import Console
from sample_app import SampleApp
from server import Pippin
from waiting import SECONDS

RETURN_URL = "https://bakery.orchard.example/callback"


@pytest.fixture(scope="module")
def bakery(orchard: Console, browser) -> Console:
    context = browser.new_context(locale="en-US", storage_state=orchard.storage_state)
    console = orchard.on(context.new_page())
    console.register_app_id("com.orchard.bakery", "Bakery")
    console.create_service_id(
        "com.orchard.bakery.web", "Bakery Shop", of="com.orchard.bakery", domains="orchard.example",
        return_urls=[RETURN_URL],
    )
    context.close()
    return orchard


def fail(page: Page, console: Console) -> str:
    """Follows an app that adds a slash to its return URL. Returns the reference on the page."""
    page.goto(
        f"{console.url}/t/{console.team_id}/auth/authorize?response_type=code&client_id=com.orchard.bakery.web"
        f"&redirect_uri={urllib.parse.quote(RETURN_URL + '/', safe='')}"
    )
    expect(page.get_by_role("heading", name="There’s a problem with this app’s sign-in setup")).to_be_visible()
    return page.locator("code").first.inner_text()


def test_a_wrong_return_url_is_found_by_its_reference_and_explained(
    bakery: Console, page_in_each_look: Page, new_context, pippin: Pippin, screenshot
):
    reference = fail(new_context().new_page(), bakery)
    page = page_in_each_look
    page.context.add_cookies(bakery.storage_state["cookies"])
    console = bakery.on(page)
    database.until(pippin, "SELECT trace_id FROM traces WHERE reference = :'reference'", len, reference=reference)

    console.open("traces")
    page.get_by_label("Find by reference").fill(reference)
    page.get_by_role("button", name="Find").click()
    expect(page.get_by_role("heading", name="The return URL is not registered")).to_be_visible()
    expect(page.get_by_role("listitem").filter(has_text="only by a trailing slash")).to_be_visible()
    screenshot(page, "flow")
    assert page_checks.faults(page) == []
    page.get_by_role("link", name="Open com.orchard.bakery.web").click()
    expect(page.get_by_label("Return URL 1", exact=True)).to_have_value(RETURN_URL)

    console.open("traces?outcome=failed&app=com.orchard.bakery.web")
    screenshot(page, "traces")
    assert page_checks.faults(page) == []
    page.get_by_role("link", name="Take off the filter Outcome: Failed").click()
    expect(page).to_have_url(re.compile(r"/traces\?app=com\.orchard\.bakery\.web$"))

    console.open("")
    expect(page.get_by_role("link", name="The return URL is not registered").first).to_be_visible()
    screenshot(page, "overview")
    assert page_checks.faults(page) == []


def test_a_client_secret_of_the_wrong_kind_is_explained(bakery: Console, new_context, pippin: Pippin):
    page = new_context(storage_state=bakery.storage_state).new_page()
    console = bakery.on(page)
    header, claims = ({"alg": "HS256", "kid": "SHARED"}, {"iss": console.team_id})
    parts = [base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode() for part in (header, claims)]
    body = urllib.parse.urlencode({
        "grant_type": "authorization_code", "code": "any", "client_id": "com.orchard.bakery.web",
        "client_secret": ".".join([*parts, "c2lnbmF0dXJl"]),
    })
    with pytest.raises(urllib.error.HTTPError) as refusal:
        urllib.request.urlopen(f"{console.url}/t/{console.team_id}/auth/token", body.encode(), timeout=SECONDS)
    assert json.load(refusal.value)["error"] == "invalid_client"
    statement = "SELECT trace_id FROM traces WHERE team_id = :'team' AND cause = 'secret_algorithm'"
    database.until(pippin, statement, len, team=console.team_id)

    console.open("traces?cause=secret_algorithm")
    page.get_by_role("link", name="Bakery Shop").first.click()
    expect(page.get_by_role("heading", name="The client secret is not ES256")).to_be_visible()
    expect(page.get_by_text("Load the .p8 file as a private key")).to_be_visible()
    page.get_by_role("link", name="Keys", exact=True).last.click()
    expect(page.get_by_role("heading", name="Keys", level=1)).to_be_visible()


def test_a_person_is_handed_out_and_forgotten(
    orchard: Console, client: SampleApp, new_context, pippin: Pippin, screenshot
):
    page = new_context(storage_state=orchard.storage_state).new_page()
    console = orchard.on(page)
    console.register_app_id("com.orchard.farewell", "Farewell")
    console.create_service_id(
        "com.orchard.farewell.web", "Farewell Shop", of="com.orchard.farewell", return_urls=[client.return_url]
    )
    key_id = console.create_key("Farewell server", of="com.orchard.farewell")
    client.use(f"{console.url}/t/{console.team_id}", console.team_id, "com.orchard.farewell.web", key_id,
               console.download_key(key_id))
    sign_in_for_the_first_time(new_context().new_page(), client, DANA)
    statement = "SELECT trace_id FROM traces WHERE client_id = 'com.orchard.farewell.web' AND outcome = 'answered'"
    database.until(pippin, statement, len)

    console.open("users?q=dana")
    page.get_by_role("link", name="Dana Fern").click()
    expect(page.get_by_role("link", name="Sign-in completed").first).to_be_visible()
    screenshot(page, "user")
    assert page_checks.faults(page) == []
    with page.expect_download() as download:
        page.get_by_role("button", name="Download as JSON").click()
    document = json.loads(Path(download.value.path()).read_text())
    assert document["user"]["email"] == DANA.email
    assert [trace["outcome"] for trace in document["signIns"]] == ["answered"]

    page.get_by_label("Reason", exact=True).first.fill("A stolen telephone")
    page.get_by_role("button", name="Suspend", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("is suspended")
    page.get_by_role("button", name="Unsuspend").click()
    expect(page.get_by_role("status")).to_contain_text("can sign in again")

    page.get_by_label(f"Type {DANA.email} to confirm").fill(DANA.email)
    page.get_by_label("Reason", exact=True).last.fill("She asked for it")
    page.get_by_role("button", name="Delete this user").click()
    expect(page.get_by_role("status")).to_contain_text("is deleted")
    console.open("traces?app=com.orchard.farewell.web")
    expect(page.get_by_role("heading", name="Nothing matches these filters")).to_be_visible()


def test_each_refusal_of_a_code_is_kept_though_they_come_at_once(pippin: Pippin):
    """C10: the calls arrive at several loops, which write apart."""
    team = Acme(return_url="http://127.0.0.1:9/callback", key=SigningKey("INSPECTKEY"), id="INSPECTOR1")
    pippin.apply(team.registry())
    visitors, backend = [Visitor(pippin.url, team) for _ in range(4)], Backend(pippin.url, pippin.url, team)
    for visitor in visitors:
        visitor.sign_in(ADA)
    backend.team = dataclasses.replace(team, return_url="http://127.0.0.1:9/another")

    def sign_in(visitor: Visitor) -> None:
        for _ in range(3):
            code = visitor.code()
            with ThreadPoolExecutor(4) as pool:
                assert {answer.status_code for answer in pool.map(backend.redeem, [code] * 4)} == {400}

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(sign_in, visitors))
    kept = database.until(
        pippin,
        """
        SELECT outcome, cause, (SELECT count(*) FROM trace_events s WHERE s.trace_id = f.trace_id AND kind = 'token_refused')
        FROM traces f WHERE team_id = :'team' AND (
            SELECT sum((kind = 'token_refused')::int) FROM trace_events s WHERE s.team_id = :'team'
        ) = 48
        """, team=team.id)
    refused = ["failed", "code_of_other_return_url", "4"]
    assert sorted(kept) == [["answered", "", "0"]] * 4 + [refused] * 12
