"""An app deletes an account, and its receipt tells people and programs what became of it."""

import urllib.parse

import pytest
import requests
from playwright.sync_api import expect

import page_checks
from backend import Backend, Visitor
from cast import ADA
from server import Pippin
from waiting import SECONDS

pytestmark = pytest.mark.quick


def test_a_receipt_is_a_page_for_people_and_json_for_programs(story_team, pippin: Pippin, new_context, secrets):
    console, team = story_team("RECEIPTS01")
    visitor, backend = Visitor(pippin.url, team), Backend(pippin.url, pippin.url, team)
    tokens = backend.redeem(visitor.sign_in(ADA)).json()
    secrets.update(tokens[name] for name in ("access_token", "refresh_token", "id_token"))
    page = console.open("users?q=ada")
    sub = urllib.parse.unquote(page.get_by_role("link", name="Ada Lovelace").get_attribute("href")).rsplit("/", 1)[1]
    deletion = f"{pippin.url}/t/{team.id}/auth/delete-account"
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    accepted = requests.post(deletion, backend.form(sub=sub), headers=kind, timeout=SECONDS)
    assert accepted.status_code == 202

    receipt = accepted.json()["receipt_url"]
    answer = requests.get(receipt, timeout=SECONDS)
    assert answer.headers["Content-Type"] == "application/json;charset=UTF-8"
    assert [token["fate"] for token in answer.json()["tokens"]] == ["revoked"]

    person = new_context().new_page()
    person.goto(receipt)
    expect(person.get_by_role("heading", name="Receipt of a deleted account", level=1)).to_be_visible()
    expect(person.get_by_role("region", name="Access of apps")).to_contain_text(team.description)
    expect(person.get_by_text("Ended", exact=True)).to_be_visible()
    assert "Ada" not in person.content() and sub not in person.content()
    assert page_checks.faults(person) == []
    page = new_context(locale="de-DE").new_page()
    page.goto(receipt)
    expect(page.get_by_role("heading", name="Beleg über ein gelöschtes Konto", level=1)).to_be_visible()
