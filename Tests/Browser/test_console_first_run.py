"""The first minutes of an installation, and coming back to it."""

import re

import pytest
from playwright.sync_api import Page, expect

from console import EMAIL, PASSWORD, SYSTEM_TEAM, Console, send_password, sign_in, sign_out
from server import Pippin

pytestmark = pytest.mark.quick


def test_the_set_up_link_leads_to_the_first_team_and_is_dead_afterwards(
    page: Page, first_operator: Console, pippin: Pippin
):
    console = first_operator.on(page)
    page.context.add_cookies(first_operator.storage_state["cookies"])
    console.open()
    expect(page.get_by_role("heading", name="Orchard", level=1)).to_be_visible()

    page.goto(console.set_up_link)
    expect(page.get_by_role("heading", name="This link is no longer valid")).to_be_visible()
    assert page.get_by_role("textbox").count() == 0
    with pytest.raises(AssertionError, match="already set up"):
        pippin.setup_link()


def test_who_signs_out_comes_back_in_with_the_password(page: Page, first_operator: Console, pippin: Pippin):
    sign_in(page, pippin, EMAIL, PASSWORD)
    expect(page.get_by_role("link", name="Orchard")).to_be_visible()
    sign_out(page)
    expect(page.get_by_role("heading", name="You are signed out")).to_be_visible()

    first_operator.on(page).open("audit")
    expect(page.get_by_role("heading", name="Sign in to the Pippin console")).to_be_visible()
    send_password(page, EMAIL, PASSWORD)
    expect(page.get_by_role("heading", name="Audit log")).to_be_visible()


def test_a_wrong_password_and_an_unknown_account_are_told_the_same(page: Page, first_operator: Console):
    page.goto(f"{first_operator.url}/t/{SYSTEM_TEAM}/account/session")
    answers = []
    for email in (EMAIL, "nobody@pippin.example"):
        send_password(page, email, "not-the-password-at-all")
        expect(page.get_by_label("Email address")).to_have_value(email)
        expect(page.get_by_label("Password")).to_have_value("")
        answers.append(page.get_by_role("alert").inner_text())
    assert answers[0] == answers[1]
    assert re.search(r"Incorrect email or password", answers[0])
