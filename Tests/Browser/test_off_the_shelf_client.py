"""PyPI's social-auth-core signs people in through Chromium, with its own Apple backend.

social-core itself checks the state, redeems the code with its ES256 client secret, and verifies the id_token
against `/auth/keys`: a page that says "Signed in" has passed all of that.
"""

import json
import re

import pytest
from playwright.sync_api import Page, expect
from social_core.exceptions import SocialAuthBaseException

import hosted
from app_sign_in import expect_signed_in, sign_in_for_the_first_time, start_sign_in
from cast import ADA, BEN, CLEO, Acme, SigningKey
from sample_app import SampleApp
from server import Pippin

pytestmark = pytest.mark.quick


@pytest.fixture(autouse=True)
def registered(acme: Acme, sample_app: SampleApp, secrets: set[str]):
    sample_app.callbacks.clear()
    yield
    secrets.update(callback["code"] for callback in sample_app.callbacks if "code" in callback)


def test_a_first_sign_in_brings_name_address_and_subject(page: Page, sample_app: SampleApp, screenshot):
    start_sign_in(page, sample_app)
    expect(page.get_by_text("Acme Web").first).to_be_visible()
    screenshot(page, "sign-in")
    hosted.prove(page, ADA)
    hosted.expect_consent_sheet(page)
    screenshot(page, "consent")
    hosted.share_email(page)
    hosted.press_continue(page)
    expect_signed_in(page, sample_app)

    [callback] = sample_app.callbacks
    assert callback["method"] == "POST"
    assert set(callback) == {"method", "code", "state", "user"}
    assert json.loads(callback["user"]) == {
        "name": {"firstName": "Ada", "lastName": "Lovelace"},
        "email": ADA.email,
    }
    expect(page.locator("#email")).to_have_text(ADA.email)
    expect(page.locator("#first_name")).to_have_text("Ada")
    expect(page.locator("#last_name")).to_have_text("Lovelace")
    expect(page.locator("#username")).to_have_text(re.compile(r"^\d{6}\.[0-9a-f]{32}\.\d{4}$"))


def test_a_later_sign_in_asks_once_and_delivers_no_user(page: Page, new_context, sample_app: SampleApp):
    sign_in_for_the_first_time(page, sample_app, BEN)
    subject = page.locator("#username").inner_text()
    sample_app.callbacks.clear()

    start_sign_in(page, sample_app)
    hosted.expect_confirmation(page)
    hosted.press_continue(page)
    expect_signed_in(page, sample_app)
    assert [set(callback) for callback in sample_app.callbacks] == [{"method", "code", "state"}]

    elsewhere = new_context().new_page()
    start_sign_in(elsewhere, sample_app)
    hosted.prove(elsewhere, BEN)
    hosted.expect_confirmation(elsewhere)
    hosted.press_continue(elsewhere)
    expect_signed_in(elsewhere, sample_app)
    expect(elsewhere.locator("#username")).to_have_text(subject)


def test_a_hidden_address_arrives_as_a_relay_address_beside_the_edited_name(page: Page, sample_app: SampleApp):
    start_sign_in(page, sample_app)
    hosted.prove(page, CLEO)
    hosted.expect_consent_sheet(page)
    hosted.rename(page, "Cléo", "<b>Pâtra</b>")
    hosted.hide_email(page)
    hosted.press_continue(page)
    expect_signed_in(page, sample_app)

    [callback] = sample_app.callbacks
    user = json.loads(callback["user"])
    assert user["name"] == {"firstName": "Cléo", "lastName": "<b>Pâtra</b>"}
    assert re.fullmatch(r"[a-z0-9]{10,}@relay\.localhost", user["email"])
    expect(page.locator("#email")).to_have_text(user["email"])
    assert CLEO.email not in page.content()


def test_a_person_who_cancels_goes_back_with_state_and_nothing_else(page: Page, sample_app: SampleApp):
    start_sign_in(page, sample_app)
    hosted.cancel(page)
    expect(page.get_by_role("heading", name="Not signed in")).to_be_visible()

    [callback] = sample_app.callbacks
    assert callback["method"] == "POST"
    assert callback["error"] == "user_cancelled_authorize"
    assert set(callback) == {"method", "error", "state"}


@pytest.fixture
def own_app(pippin: Pippin, secrets: set[str]):
    """An app whose people nobody else signs in."""
    app = SampleApp()
    app.start()
    key = SigningKey("SOCIALKEY1")
    team = Acme(return_url=app.return_url, key=key, id="SOCIALTEA1")
    pippin.apply(team.registry())
    app.use(f"{pippin.url}/t/{team.id}", team.id, team.client_id, key.id, key.private_pem)
    yield app
    secrets.update(callback["code"] for callback in app.callbacks if "code" in callback)
    app.stop()


def test_social_core_refreshes_revokes_and_begins_anew(page: Page, own_app: SampleApp, secrets: set[str]):
    sign_in_for_the_first_time(page, own_app, ADA)
    subject = page.locator("#username").inner_text()
    assert "user" in own_app.callbacks[-1]
    first = dict(own_app.token)
    secrets.update(first[name] for name in ("access_token", "refresh_token", "id_token"))

    refreshed = own_app.client().refresh_token(first["refresh_token"])
    secrets.update(refreshed[name] for name in ("access_token", "id_token"))
    assert "refresh_token" not in refreshed, "the old one goes on, as at Apple"
    claims = own_app.client().decode_id_token(refreshed["id_token"])
    assert (claims["sub"], claims["email"]) == (subject, ADA.email)

    start_sign_in(page, own_app)
    hosted.expect_confirmation(page)
    hosted.press_continue(page)
    expect_signed_in(page, own_app)
    assert "user" not in own_app.callbacks[-1], "a later sign-in delivers no user"
    secrets.update(own_app.token[name] for name in ("access_token", "refresh_token", "id_token"))

    # It sends the fields in the address as well as in the body, and only the body counts.
    assert own_app.client().revoke_token(first["refresh_token"], subject) is True
    for token in (first["refresh_token"], own_app.token["refresh_token"]):
        with pytest.raises(SocialAuthBaseException):
            own_app.client().refresh_token(token)

    start_sign_in(page, own_app)
    hosted.expect_consent_sheet(page)
    hosted.share_email(page)
    hosted.press_continue(page)
    expect_signed_in(page, own_app)
    expect(page.locator("#username")).to_have_text(subject)
    assert "user" in own_app.callbacks[-1], "and it is a first sign-in again"
