"""Who belongs to one team finds nothing of another: there is no such page, for anybody but its members."""

import pytest
from playwright.sync_api import Page, expect

import database
from cast import CLEO, Acme
from console import Console, sign_in
from server import Pippin

PAGES = [
    "", "app-ids", "app-ids/new", "app-ids/com.orchard.walled", "service-ids", "service-ids/com.orchard.walled.web",
    "service-ids/com.orchard.walled.web/test-sign-ins/new", "keys", "keys/new", "users", "audit",
]


@pytest.fixture
def walled(orchard: Console, signed_in_console: Console) -> Console:
    """The operator's team, with an App ID and a Service ID worth looking at."""
    signed_in_console.register_app_id("com.orchard.walled", "Walled app")
    signed_in_console.create_service_id(
        "com.orchard.walled.web", "Walled Garden", of="com.orchard.walled", return_urls=[]
    )
    return signed_in_console


def expect_nothing_there(page: Page, address: str) -> None:
    answer = page.goto(address)
    assert answer.status == 404
    expect(page.get_by_role("heading", name="This page does not exist")).to_be_visible()
    assert "Walled" not in page.content() and "Orchard" not in page.content()


def test_a_member_of_another_team_gets_404_for_every_page(
    walled: Console, acme: Acme, new_context, pippin: Pippin
):
    database.give_console_account(pippin, CLEO, acme.id, "owner")
    page = new_context().new_page()
    sign_in(page, pippin, CLEO.email, CLEO.password)
    expect(page.get_by_role("main").get_by_role("listitem")).to_have_count(1)
    expect(page.get_by_role("main").get_by_role("listitem")).to_contain_text(acme.id)

    [[person]] = database.rows(
        pippin, "SELECT sub FROM login_names WHERE team_id = :'team' AND login = :'login'",
        team=walled.team_id, login=CLEO.email,
    )
    for path in [*PAGES, f"users/{person}"]:
        expect_nothing_there(page, f"{walled.url}/console/{walled.team_id}/{path}".rstrip("/"))
    expect_nothing_there(page, f"{walled.url}/console/teams/new")
    expect_nothing_there(page, f"{walled.url}/console/{acme.id}/app-ids/com.orchard.walled")

    page.goto(f"{walled.url}/console/{acme.id}/app-ids/new")
    sent = page.evaluate(
        """async (address) => {
            const fields = new URLSearchParams(new FormData(document.querySelector('main form')));
            fields.set('identifier', 'com.rival.planted');
            fields.set('description', 'Planted');
            return (await fetch(address, {method: 'POST', body: fields})).status;
        }""",
        f"{walled.url}/console/{walled.team_id}/app-ids",
    )
    assert sent == 404
    expect(walled.open("app-ids").get_by_text("com.rival.planted")).to_have_count(0)


def test_an_operator_sees_the_name_of_a_team_and_nothing_in_it(signed_in_console: Console, acme: Acme):
    page = signed_in_console.open("/")
    row = page.get_by_role("listitem").filter(has_text=acme.id)
    expect(row).to_contain_text("Not a member")
    expect(row.get_by_role("link")).to_have_count(0)
    for path in ("", "/users", f"/app-ids/{acme.app_id}", "/audit"):
        expect_nothing_there(page, f"{signed_in_console.url}/console/{acme.id}{path}")


def test_who_is_not_signed_in_learns_nothing(page: Page, first_operator: Console):
    console = first_operator.on(page)
    for path in ("", "keys", "users", "app-ids/com.orchard.walled"):
        console.open(path)
        expect(page.get_by_role("heading", name="Sign in to the Pippin console")).to_be_visible()
        assert "Orchard" not in page.content()
