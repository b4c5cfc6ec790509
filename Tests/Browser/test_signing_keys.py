"""Keys that sign tokens are changed by hand, and tokens are ended, after a leak."""

import requests
from playwright.sync_api import expect

from backend import Backend, Visitor
from cast import ADA
from console import Console
from server import Pippin
from waiting import SECONDS, until


def key_set(console: Console) -> list[str]:
    keys = requests.get(f"{console.url}/t/{console.team_id}/auth/keys", timeout=SECONDS).json()["keys"]
    return [key["kid"] for key in keys]


def test_signing_keys_are_rotated_and_replaced(story_team):
    console, _ = story_team("SIGNKEYS01")
    [first] = key_set(console)
    page = console.open("signing-keys")
    row = page.get_by_role("row").filter(has_text=first)
    expect(row.get_by_text("Active", exact=True)).to_be_visible()

    page.get_by_role("button", name="Publish the next key").click()
    expect(page.get_by_role("status")).to_contain_text("It signs from tomorrow on")
    expect(page.get_by_text("Next", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Publish the next key")).to_have_count(0)
    published = wait_for_keys(console, lambda keys: len(keys) == 2)
    assert first in published

    page.get_by_label(f"Type {console.team_id} to confirm").fill(console.team_id)
    page.get_by_label("Reason", exact=True).fill("A laptop was stolen")
    page.get_by_role("button", name="Replace all keys").click()
    expect(page.get_by_role("status")).to_contain_text("All keys are replaced")
    wait_for_keys(console, lambda keys: len(keys) == 1 and keys[0] not in published)
    log = console.open("audit").locator("ul.events")
    for action in ("Next signing key published", "Signing keys replaced"):
        expect(log.get_by_text(action)).to_be_visible()


def wait_for_keys(console: Console, are_right) -> list[str]:
    """The key set once it is right; every loop of the server looks at the registry twice a second."""
    keys: list[str] = []

    def look() -> bool:
        keys[:] = key_set(console)
        return are_right(keys)

    until(look, lambda: f"the key set stayed {keys}")
    return keys


def test_tokens_are_cut_off(story_team, pippin: Pippin, secrets):
    console, team = story_team("CUTOFFTEAM")
    visitor, backend = Visitor(pippin.url, team), Backend(pippin.url, pippin.url, team)
    tokens = backend.redeem(visitor.sign_in(ADA)).json()
    secrets.update(tokens[name] for name in ("access_token", "refresh_token", "id_token"))
    assert backend.refresh(tokens["refresh_token"]).status_code == 200

    page = console.open("signing-keys")
    page.get_by_role("link", name="Token revocations").click()
    expect(page.get_by_text("No revocations yet")).to_be_visible()
    page.get_by_label("Whose tokens").select_option(team.client_id)
    page.get_by_label(f"Type {team.id} to confirm").fill(team.id)
    page.get_by_label("Reason", exact=True).fill("The backups were public")
    page.get_by_role("button", name="Revoke these tokens").click()
    expect(page.get_by_role("status")).to_contain_text("All tokens issued until now are revoked")
    expect(page.get_by_role("region", name="Token revocations")).to_contain_text(team.client_id)

    refused = backend.refresh(tokens["refresh_token"])
    assert (refused.status_code, refused.json()["error"]) == (400, "invalid_grant")
    again = backend.redeem(visitor.code()).json()
    secrets.update(again[name] for name in ("access_token", "refresh_token", "id_token"))
    assert backend.refresh(again["refresh_token"]).status_code == 200
