"""Somebody is invited to a team that lets nobody else register: by mail, once, and then signs in to its app."""

from playwright.sync_api import expect

import page_checks
from backend import Backend, Visitor
from cast import Person
from console import Console, send_password
from server import Pippin

IVY = Person("Ivy", "Climber", "ivy@invited.example", "ivy-up-the-north-wall")


def test_who_is_invited_makes_an_account_and_signs_in(
    story_team, signed_in_console: Console, pippin: Pippin, new_context, secrets
):
    console, team = story_team("INVITES001")
    page = console.open("settings")
    page.get_by_role("radio", name="By invitation").check()
    page.get_by_role("region", name="Sign-in", exact=True).get_by_role("button", name="Save").click()
    expect(page.get_by_role("status")).to_contain_text("Saved")
    page = console.open("users")
    page.get_by_role("link", name="Invite people").click()
    expect(page.get_by_text("Only people you invite may register")).to_be_visible()
    page.get_by_label("Email address", exact=True).fill(IVY.email)
    page.get_by_role("button", name="Send invitation").click()
    expect(page.get_by_role("status")).to_contain_text(f"{IVY.email} is in the operators’ mailbox")
    expect(page.get_by_role("listitem").filter(has_text=IVY.email)).to_be_visible()

    subject = "You are invited to Acme"
    signed_in_console.open(f"/operator/mailbox?q={IVY.email}")
    signed_in_console.reload_until(subject)
    mailbox = signed_in_console.page
    mailbox.get_by_role("link", name=subject).click()
    link = mailbox.get_by_role("link", name="Follow its link").get_attribute("href")
    secrets.update({link.rsplit("/", 1)[1], IVY.password})

    guest = new_context().new_page()
    guest.goto(link)
    expect(guest.get_by_role("heading", name="Make your account", level=1)).to_be_visible()
    assert page_checks.faults(guest) == []
    expect(guest.get_by_label("Email address", exact=True)).to_have_value(IVY.email)
    guest.locator('input[autocomplete="given-name"]').fill(IVY.given_name)
    guest.locator('input[autocomplete="family-name"]').fill(IVY.family_name)
    guest.locator('input[autocomplete="new-password"]').fill(IVY.password)
    guest.get_by_role("button", name="Create account").click()
    expect(guest.get_by_role("heading", name="Your account is ready", level=1)).to_be_visible()

    guest.goto(f"{pippin.url}/t/{team.id}/account/session")
    send_password(guest, IVY.email, IVY.password)
    expect(guest.get_by_text(IVY.email).first).to_be_visible()
    tokens = Backend(pippin.url, pippin.url, team).redeem(Visitor(pippin.url, team).sign_in(IVY)).json()
    secrets.update(tokens[name] for name in ("access_token", "refresh_token", "id_token"))

    late = new_context().new_page()
    assert late.goto(link).status == 410
    expect(late.locator("input")).to_have_count(0)
    console.open("user-invitations")
    expect(page.get_by_text("No open invitations")).to_be_visible()
    expect(console.open("users").get_by_role("link", name="Ivy Climber")).to_be_visible()
    log = console.open("audit")
    expect(log.locator("ul.events").get_by_text("User invited", exact=True).first).to_be_visible()
