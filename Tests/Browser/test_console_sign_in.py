"""From nothing to a working sign-in: everything a team does by hand, proven by an off-the-shelf client."""

import time
from dataclasses import dataclass

import jwt
import pytest
import requests
from playwright.sync_api import expect

import database
import hosted
from app_sign_in import expect_signed_in, sign_in_for_the_first_time, start_sign_in
from cast import ADA, BEN
from console import Console, facts
from sample_app import SampleApp
from server import Pippin
from waiting import SECONDS


@pytest.fixture
def console(orchard: Console, signed_in_console: Console) -> Console:
    return signed_in_console


@dataclass(frozen=True)
class Registration:
    """What the console shows to a team that has made an App ID, a Service ID and a key."""

    team_id: str
    client_id: str
    key_id: str
    private_key: str
    issuer: str
    token_url: str


def register(console: Console, client: SampleApp, name: str) -> Registration:
    """Makes them in the console, and tells the client what it shows, nothing else."""
    app_id = f"com.orchard.{name.lower()}"
    console.register_app_id(app_id, f"{name} app")
    console.create_service_id(f"{app_id}.web", f"{name} Club", of=app_id, return_urls=[client.return_url])
    key_id = console.create_key(f"{name} server", of=app_id)
    private_key = console.download_key(key_id)
    shown = facts(console.open(f"service-ids/{app_id}.web"))
    made = Registration(
        shown["Team ID"], shown["Identifier (client_id)"], shown[f"Key ID of {name} server"], private_key,
        shown["Issuer"], shown["Token URL"],
    )
    client.use(made.issuer, made.team_id, made.client_id, made.key_id, made.private_key)
    return made


def redeem(made: Registration, code: str) -> str:
    """The error that a redemption with the team's own key is answered with."""
    now = int(time.time())
    claims = {"iss": made.team_id, "iat": now, "exp": now + 60, "aud": made.issuer, "sub": made.client_id}
    secret = jwt.encode(claims, made.private_key, algorithm="ES256", headers={"kid": made.key_id})
    fields = {"grant_type": "authorization_code", "client_id": made.client_id, "client_secret": secret, "code": code}
    answer = requests.post(made.token_url, data=fields, timeout=SECONDS)
    assert answer.status_code == 400
    return answer.json()["error"]


def test_what_the_console_shows_is_all_a_client_needs(
    console: Console, client: SampleApp, new_context, pippin: Pippin, screenshot
):
    made = register(console, client, "Cider")
    visitor = new_context().new_page()
    start_sign_in(visitor, client)
    expect(visitor.get_by_role("heading", name="Sign in to Cider Club")).to_be_visible()
    hosted.prove(visitor, ADA)
    hosted.expect_consent_sheet(visitor)
    hosted.press_continue(visitor)
    expect_signed_in(visitor, client)
    sub = visitor.locator("#username").inner_text()

    page = console.open("users?q=ada")
    page.get_by_role("link", name="Ada Lovelace").click()
    expect(page.get_by_role("heading", name="Ada Lovelace", level=1)).to_be_visible()
    assert facts(page)["User ID"] == sub
    expect(page.get_by_role("region", name="Apps in use")).to_contain_text("Cider app")
    expect(page.get_by_role("region", name="Sessions")).to_contain_text("Chrom")
    expect(page.get_by_role("region", name="Tokens")).to_contain_text(made.client_id)
    screenshot(page, "user")

    log = console.open("audit").locator("ul.events")
    for action in ("Sign-in completed", "Consent granted", "First code redeemed", "Key downloaded"):
        expect(log.get_by_text(action).first).to_be_visible()
    screenshot(page, "audit")

    def count(statement: str) -> int:
        [[number]] = database.rows(pippin, statement, team=console.team_id, sub=sub, client=made.client_id)
        return int(number)

    owned = "WHERE team_id = :'team' AND sub = :'sub'"
    assert count(f"SELECT count(*) FROM users {owned} AND email = '{ADA.email}'") == 1
    assert count(f"SELECT count(*) FROM refresh_tokens {owned} AND client_id = :'client'") == 1
    assert count(
        "SELECT count(DISTINCT action) FROM audit_events WHERE team_id = :'team'"
        " AND ((actor = :'sub' AND action IN ('sign_in.completed', 'consent.granted'))"
        " OR (actor = :'client' AND action = 'client.first_redemption'))"
    ) == 3


def test_a_private_key_is_given_out_once(console: Console, new_context):
    console.register_app_id("com.orchard.perry", "Perry app")
    key_id = console.create_key("Perry server", of="com.orchard.perry")
    late = console.page.context.new_page()
    late.goto(console.page.url)

    assert console.download_key(key_id).startswith("-----BEGIN PRIVATE KEY-----\n")
    # The page that gave it says a moment later that it is over.
    expect(console.page.get_by_role("button", name="Download AuthKey")).to_have_count(0)
    late.get_by_role("button", name="Download AuthKey").click()
    expect(late.get_by_role("heading", name="This key was downloaded already")).to_be_visible()
    expect(late.get_by_text("revoke this key and create another")).to_be_visible()

    page = console.open(f"keys/{key_id}")
    expect(page.get_by_text("Active", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Download")).to_have_count(0)


def test_a_revoked_key_opens_nothing(console: Console, client: SampleApp, new_context):
    made = register(console, client, "Quince")
    visitor = new_context().new_page()
    sign_in_for_the_first_time(visitor, client, BEN)
    assert redeem(made, "no-such-code") == "invalid_grant"

    page = console.open(f"keys/{made.key_id}")
    expect(page.get_by_role("button", name="Revoke key")).to_be_disabled()
    console.revoke_key(made.key_id, "The laptop it was on is gone")
    expect(page.get_by_text("Revoked", exact=True).first).to_be_visible()
    expect(page.get_by_role("button", name="Revoke key")).to_have_count(0)
    console.open("audit")
    event = page.locator("ul.events > li", has_text="Key revoked").filter(has_text=made.key_id)
    event.locator("summary").click()
    expect(event.get_by_text("The laptop it was on is gone")).to_be_visible()

    start_sign_in(visitor, client)
    hosted.press_continue(visitor)
    expect(visitor.get_by_role("heading", name="Not signed in")).to_be_visible()
    assert redeem(made, client.callbacks[-1]["code"]) == "invalid_client"
