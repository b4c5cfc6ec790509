"""The audit log: filtered, a filter taken off, paged, exported."""

import csv
import json

from playwright.sync_api import expect

import database
from console import Console
from server import Pippin


def seed(pippin: Pippin, team: str) -> None:
    """Seventy changes from one network and seven refusals from another."""
    database.rows(
        pippin,
        """
        INSERT INTO audit_events (
            team_id, at, actor_kind, actor, action, target_kind, target, outcome, ip, ip_key, words
        )
        SELECT :'team', now() - n * interval '1 second', 'system', 'browser-test',
            CASE WHEN n > 70 THEN 'sign_in.refused' ELSE 'app_id.updated' END, 'app_id', 'com.story.app' || n,
            CASE WHEN n > 70 THEN 'refused' ELSE 'succeeded' END,
            CASE WHEN n > 70 THEN '198.51.100.7' ELSE '203.0.113.7' END,
            CASE WHEN n > 70 THEN '\\x00000000000000000000ffffc6336407'::bytea
                ELSE '\\x00000000000000000000ffffcb007107'::bytea END,
            ARRAY['com.story.app' || n, 'story']
        FROM generate_series(1, 77) AS n
        RETURNING 1
        """,
        team=team,
    )


def test_filter_take_off_page_export(signed_in_console: Console, pippin: Pippin):
    console, page = signed_in_console, signed_in_console.page
    seed(pippin, console.team_id)
    page.goto(f"{console.url}/console/{console.team_id}/audit")

    page.get_by_role("searchbox").fill("Story")
    page.get_by_text("Filter", exact=True).click()
    page.get_by_label("Address", exact=True).fill("203.0.113.0/24")
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_text("70 events")).to_be_visible()
    events = page.locator(".events > li")
    expect(events).to_have_count(50)

    page.get_by_role("link", name="Next").click()
    expect(events).to_have_count(20)
    page.get_by_role("link", name="Previous").click()
    expect(events).to_have_count(50)

    page.get_by_role("link", name="Take off the filter Address: 203.0.113.0/24").click()
    expect(page.get_by_text("77 events", exact=True)).to_be_visible()
    page.get_by_text("Filter", exact=True).click()
    page.get_by_label("Outcome", exact=True).select_option("Refused")
    page.get_by_role("button", name="Apply").click()
    expect(events).to_have_count(7)

    with page.expect_download() as download:
        page.get_by_role("button", name="Export CSV").click()
    with open(download.value.path(), encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows[0]["action"] == "audit_log.exported"
    assert json.loads(rows[0]["after"])["filter"] == {"q": "Story", "outcome": "refused"}
    assert [row["target"] for row in rows[1:]] == [f"com.story.app{n}" for n in range(71, 78)]

    events.first.locator("summary").click()
    events.first.get_by_role("link", name="Open this event").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Sign-in refused")
    page.get_by_role("link", name="History of this").click()
    expect(page.get_by_text("1 event", exact=True)).to_be_visible()


def test_what_the_command_line_found_stands_on_the_page(signed_in_console: Console, pippin: Pippin):
    console, page = signed_in_console, signed_in_console.page
    database.until(pippin, "SELECT 1 FROM audit_chains WHERE team_id = :'team' AND position > 0", team=console.team_id)
    database.rows(pippin, "UPDATE audit_chains SET verified_at = NULL WHERE team_id = :'team'", team=console.team_id)
    said = pippin.command("audit", "verify", "--team", console.team_id)
    assert f"team {console.team_id}: whole" in said
    page.goto(f"{console.url}/console/{console.team_id}/audit")
    expect(page.locator("#seals")).to_contain_text("Whole")
    expect(page.locator("#seals")).not_to_contain_text("Never")
