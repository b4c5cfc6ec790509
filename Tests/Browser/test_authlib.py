"""Authlib's client, unmodified, through its whole life: sign in, verify, refresh, ask, revoke, and begin anew."""

import pytest
import requests
from playwright.sync_api import Page, expect

import hosted
from authlib_app import AuthlibApp
from cast import ADA, Acme, SigningKey
from server import Pippin
from waiting import SECONDS

pytestmark = pytest.mark.quick


@pytest.fixture(scope="module")
def app(pippin: Pippin, secrets: set[str]):
    app = AuthlibApp()
    key = SigningKey("AUTHLIBKEY")
    team = Acme(return_url=app.return_url, key=key, id="AUTHLIBTEA")
    pippin.apply(team.registry())
    app.use(f"{pippin.url}/t/{team.id}", team.id, team.client_id, key)
    yield app
    secrets.update(callback["code"] for callback in app.callbacks if "code" in callback)
    secrets.update(app.token[name] for name in ("access_token", "refresh_token", "id_token") if name in app.token)
    app.stop()


def sign_in(page: Page, app: AuthlibApp) -> str:
    page.goto(app.url + "/login")
    if page.locator('input[autocomplete~="username"]').is_visible():
        hosted.prove(page, ADA)
    hosted.expect_sheet(page)
    if page.get_by_role("radio", name=hosted.SHARE).is_visible():
        hosted.share_email(page)
    hosted.press_continue(page)
    expect(page.get_by_role("heading", name="Signed in")).to_be_visible()
    return page.locator("#sub").inner_text()


def test_authlib_signs_in_verifies_refreshes_revokes_and_begins_anew(page: Page, app: AuthlibApp):
    subject = sign_in(page, app)
    assert "user" in app.callbacks[-1]
    first = dict(app.token)

    refreshed = app.client().refresh_token(app.metadata["token_endpoint"], refresh_token=first["refresh_token"])
    assert refreshed["refresh_token"] == first["refresh_token"], "Authlib keeps the old one where none is answered"
    assert app.claims(refreshed)["sub"] == subject

    person = app.client(token=refreshed).get(app.metadata["userinfo_endpoint"]).json()
    assert (person["sub"], person["email"]) == (subject, ADA.email)

    sign_in(page, app)
    assert "user" not in app.callbacks[-1], "a later sign-in delivers no user"

    answer = app.client().revoke_token(
        app.metadata["revocation_endpoint"], token=first["refresh_token"], token_type_hint="refresh_token"
    )
    assert (answer.status_code, answer.text) == (200, "")
    with pytest.raises(Exception, match="invalid_grant"):
        app.client().refresh_token(app.metadata["token_endpoint"], refresh_token=first["refresh_token"])
    late = requests.get(
        app.metadata["userinfo_endpoint"], headers={"Authorization": f"Bearer {refreshed['access_token']}"}, timeout=SECONDS
    )
    assert late.status_code == 401

    assert sign_in(page, app) == subject, "the person is the same"
    assert "user" in app.callbacks[-1], "and it is a first sign-in again"
