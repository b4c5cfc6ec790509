"""Debian's mod_auth_openidc with form_post: sign in, refresh, sign out with revocation, and begin anew."""

import re
import tempfile
import time
from pathlib import Path
from urllib.parse import quote

import jwt
import pytest
from playwright.sync_api import Page, Response, expect

import hosted
from apache import Apache
from cast import BEN, Acme, SigningKey
from server import Pippin
from waiting import until

pytestmark = pytest.mark.quick


@pytest.fixture(scope="module")
def apache(pippin: Pippin, secrets: set[str]):
    with tempfile.TemporaryDirectory(prefix="pippin-apache-") as folder:
        apache = Apache(Path(folder))
        key = SigningKey("APACHEKEY1")
        team = Acme(return_url=apache.return_url, key=key, id="APACHETEAM")
        pippin.apply(team.registry())
        base = f"{pippin.url}/t/{team.id}"
        now = int(time.time())
        claims = {"iss": team.id, "sub": team.client_id, "aud": base, "iat": now, "exp": now + 3600}
        client_secret = jwt.encode(claims, key.private_pem, "ES256", {"kid": key.id})
        secrets.add(client_secret)
        apache.start(base, team.client_id, client_secret)
        try:
            yield apache
        finally:
            apache.stop()


def open_protected_page(page: Page, apache: Apache, *, first_time: bool) -> Response:
    page.goto(apache.url + "/page.html")
    if page.locator('input[autocomplete~="username"]').is_visible():
        hosted.prove(page, BEN)
    if first_time:
        hosted.expect_consent_sheet(page)
        hosted.share_email(page)
    else:
        hosted.expect_confirmation(page)
    hosted.press_continue(page)
    expect(page.get_by_role("heading", name="Protected page")).to_be_visible()
    return page.reload()


def test_mod_auth_openidc_signs_in_refreshes_revokes_and_begins_anew(page: Page, apache: Apache, secrets: set[str]):
    answer = open_protected_page(page, apache, first_time=True)
    subject, token = answer.headers["x-subject"], answer.headers["x-access-token"]
    secrets.add(token)
    assert re.fullmatch(r"\d{6}\.[0-9a-f]{32}\.\d{4}", subject)
    assert answer.headers["x-email"] == BEN.email

    # The module refreshes on request of the page, which proves itself with the token it has.
    back = quote(apache.url + "/page.html")

    def refreshed() -> str:
        page.goto(f"{apache.return_url}?refresh={back}&access_token={quote(token)}")
        return page.reload().headers["x-access-token"]

    # An access token tells the second of its issue: two of one second are the same.
    secrets.add(until(lambda: (now := refreshed()) != token and now))

    # Signing out revokes the tokens at the revocation address that discovery names.
    page.goto(f"{apache.return_url}?logout={quote(apache.url + '/signed-out.html')}")
    expect(page.get_by_role("heading", name="Signed out")).to_be_visible()

    again = open_protected_page(page, apache, first_time=True)
    assert again.headers["x-subject"] == subject
