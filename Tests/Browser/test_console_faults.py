"""What a role may not do is not offered, and what a team is about to lose is said on each page."""

import requests
from playwright.sync_api import expect

import database
from cast import Person, registered
from console import sign_in
from sample_app import SampleApp
from server import Pippin
from waiting import SECONDS

DEE = Person("Dee", "Veloper", "dee@faults.example", "forks-in-the-orchard-road")


def test_what_a_role_may_not_do_is_not_offered(story_team, pippin: Pippin, new_context, sample_app: SampleApp):
    console, team = story_team("ROLES00001", sample_app.return_url)
    pippin.apply({"teams": [{"id": team.id, "users": registered((DEE,))}]})
    database.give_console_account(pippin, DEE, team.id, "developer")
    page = new_context().new_page()
    sign_in(page, pippin, DEE.email, DEE.password)
    developer = console.on(page)
    developer.open("users")
    expect(page.get_by_role("link", name="Invite people")).to_have_count(0)
    for path in (f"service-ids/{team.client_id}", f"app-ids/{team.app_id}"):
        developer.open(path)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        expect(page.get_by_text("Delete this", exact=False)).to_have_count(0)
        assert page.locator("form[data-confirm]").count() == 0
    token = page.locator("input[name=csrf]").first.get_attribute("value")
    refused = page.request.post(
        f"{console.url}/console/{team.id}/service-ids/{team.client_id}/deletion",
        form={"csrf": token, "version": "1", "confirmation": team.client_id, "reason": "None"},
        headers={"Origin": console.url},
    )
    assert refused.status == 403

    # A team without users says so before a test that nobody could finish.
    database.rows(pippin, f"DELETE FROM users WHERE team_id = '{team.id}'")
    developer.open(f"service-ids/{team.client_id}/test-sign-ins/new")
    expect(page.get_by_text("This team has no users yet")).to_be_visible()

    # A team that will be deleted says so on each page, and in the list of teams.
    database.rows(pippin, f"UPDATE teams SET deletion_due_at = now() + interval '7 days' WHERE team_id = '{team.id}'")
    developer.open("keys")
    expect(page.get_by_role("complementary", name="Deletion")).to_contain_text("This team will be deleted on")
    page.goto(f"{console.url}/console")
    expect(page.get_by_role("listitem").filter(has_text=team.id)).to_contain_text("Deletion on")

    # A page that is not there is the team's, and says so in its own look.
    page.goto(f"{pippin.url}/t/{team.id}/account/session")
    page.goto(f"{pippin.url}/t/{team.id}/no-such-page")
    expect(page.locator(".sheet-head .tile")).to_have_text("A")
    assert requests.get(f"{pippin.url}/metrics", timeout=SECONDS).text == "401 Unauthorized\n"
