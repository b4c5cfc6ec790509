"""A colleague is invited by a mailed link, works within her role, gets another one, and leaves."""

import re

from playwright.sync_api import expect

from cast import Person
from console import Console, send_password

RUTH = Person("Ruth", "Barb", "ruth@members.example", "rhubarb-under-a-bucket")


def test_a_colleague_joins_by_a_mailed_link(story_team, signed_in_console: Console, new_context, secrets):
    console, team = story_team("MEMBERS001")
    page = console.open("members")
    page.get_by_label("Email address", exact=True).fill(RUTH.email)
    page.get_by_role("radio", name="Developer").check()
    page.get_by_role("button", name="Send invitation").click()
    expect(page.get_by_role("status")).to_contain_text(f"{RUTH.email} is in the operators’ mailbox")
    invitation = page.get_by_role("listitem").filter(has_text=RUTH.email)
    expect(invitation).to_contain_text("Developer, expires")

    signed_in_console.open(f"/operator/mailbox?q={RUTH.email}")
    signed_in_console.reload_until("You are invited to Acme on Pippin")
    mailbox = signed_in_console.page
    mailbox.get_by_role("link", name="You are invited to Acme on Pippin").click()
    link = mailbox.get_by_role("link", name="Follow its link").get_attribute("href")
    secrets.update({link.rsplit("/", 1)[1], RUTH.password})

    guest = new_context().new_page()
    guest.goto(link)
    expect(guest.get_by_role("heading", name="Join Acme", level=1)).to_be_visible()
    guest.get_by_label("First name", exact=True).fill("Ruth")
    guest.get_by_label("Last name", exact=True).fill("Barb")
    guest.get_by_label("Password", exact=True).fill(RUTH.password)
    guest.get_by_role("button", name="Make an account and join").click()
    # She is signed in by the password that she has just chosen.
    expect(guest.get_by_role("status")).to_contain_text("Welcome to Acme")
    expect(guest.get_by_role("heading", name="Acme", level=1)).to_be_visible()
    assert guest.goto(f"{console.url}/console/{team.id}/app-ids/new").status == 200
    assert guest.goto(f"{console.url}/console/{team.id}/keys/new").status in (403, 404)
    assert guest.goto(link).status == 410

    page = console.open("members")
    page.get_by_role("link", name="Ruth Barb").click()
    page.get_by_role("radio", name="Auditor").check()
    page.get_by_role("button", name="Change role").click()
    expect(page.get_by_role("status")).to_contain_text("Ruth Barb is Auditor now")
    assert guest.goto(f"{console.url}/console/{team.id}/app-ids/new").status in (403, 404)
    assert guest.goto(f"{console.url}/console/{team.id}/audit").status == 200

    page = console.open("members")
    page.get_by_role("link", name="Ruth Barb").click()
    removal = page.get_by_role("region", name="Remove from the team")
    removal.get_by_label(f"Type {RUTH.email} to confirm").fill(RUTH.email)
    removal.get_by_label("Reason", exact=True).fill("She grows elsewhere")
    removal.get_by_role("button", name="Remove member").click()
    expect(page.get_by_role("status")).to_contain_text("no longer a member")
    assert guest.goto(f"{console.url}/console/{team.id}/audit").status == 404
    log = console.open("audit")
    for action in ("Invitation sent", "Invitation accepted", "Member role changed", "Member removed"):
        expect(log.locator("ul.events").get_by_text(re.compile(action)).first).to_be_visible()
