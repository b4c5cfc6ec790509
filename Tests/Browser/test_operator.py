"""An operator looks after the installation: a job that failed, and a mail that was not sent."""

import re

from playwright.sync_api import expect

import database
from console import Console
from server import Pippin

MAIL = "m" * 26
LINK = "https://id.example/verify/once"


def test_a_job_fails_and_is_tried_again(signed_in_console: Console, pippin: Pippin):
    database.rows(
        pippin,
        """
        INSERT INTO jobs (team_id, job_id, kind, priority, payload, due_at, created_at)
        VALUES (:'team', repeat('f', 26), 'mail.send', 0, '{"message": "verification", "sealed": "AAAA"}', now(),
            now() - interval '2 days')
        """,
        team=signed_in_console.team_id,
    )
    page = signed_in_console.open("/operator/jobs?state=dead")
    signed_in_console.reload_until("mail.send")
    page.get_by_role("link", name="Mail", exact=True).first.click()
    expect(page.get_by_role("main")).to_contain_text("the mail cannot be read")

    page.get_by_role("button", name="Try it now").click()

    expect(page.get_by_role("status")).to_contain_text("being tried again")
    signed_in_console.reload_until("Dead")
    page.get_by_label("Type mail.send to confirm").fill("mail.send")
    page.get_by_label("Reason", exact=True).fill("Nobody can read it")
    page.get_by_role("button", name="Cancel job").click()
    expect(page.get_by_role("status")).to_contain_text("The job is cancelled")


def test_where_only_this_machine_reaches_it_nobody_asks_apple(signed_in_console: Console, pippin: Pippin):
    database.rows(
        pippin,
        """
        INSERT INTO apple_publications (team_id, document, known, approved, seen, seen_at, differs_since)
        VALUES ('PIPPIN0000', 'keys', '{"KID0000001": "RS256"}', '{"KID0000001": "RS256"}', '{}', now(), now())
        """,
    )
    page = signed_in_console.open("/operator/apple")
    expect(page.get_by_role("heading", name="Not checked on this server")).to_be_visible()
    expect(page.get_by_role("main")).not_to_contain_text("Different since")

    page = signed_in_console.open("/operator")
    expect(page.get_by_role("heading", name="Health", exact=True)).to_be_visible()
    expect(page.get_by_role("main")).not_to_contain_text("see Apple API changes")


def test_a_mail_is_read_in_the_mailbox(signed_in_console: Console, pippin: Pippin):
    database.rows(
        pippin,
        """
        INSERT INTO mailbox (team_id, mail_id, of_team, message, recipient, subject, body_text, body_html, link)
        VALUES ('PIPPIN0000', :'mail', :'team', 'verification', 'ada@acme.example', 'Confirm your address',
            'Please confirm.', '<p>Please confirm.</p>', :'link')
        """,
        mail=MAIL, team=signed_in_console.team_id, link=LINK,
    )
    page = signed_in_console.open("/operator/mailbox")
    page.get_by_label("Beginning of an address").fill("ada@")
    page.get_by_role("button", name="Search").click()
    page.get_by_role("link", name="Confirm your address").click()

    expect(page.get_by_role("link", name="Follow its link")).to_have_attribute("href", LINK)
    expect(page.get_by_role("main")).to_contain_text("Please confirm.")


def test_the_installation_says_how_it_is(signed_in_console: Console):
    page = signed_in_console.open("/operator")

    expect(page.get_by_role("heading", name="Health", level=1)).to_be_visible()
    expect(page.get_by_text("Alive", exact=True)).to_be_visible()
    expect(page.get_by_role("cell", name=re.compile("time_partitions.sweep"))).to_be_visible()


def test_the_figures_are_for_operators(signed_in_console: Console, new_context):
    assert new_context().request.get(f"{signed_in_console.url}/metrics").status == 401
    answer = signed_in_console.page.context.request.get(f"{signed_in_console.url}/metrics")
    assert answer.status == 200
    assert "pippin_process_resident_bytes{" in answer.text()
