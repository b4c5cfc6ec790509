"""Forms that forget nothing, and two people at one of them."""

import re

import pytest
from playwright.sync_api import Page, expect

from console import Console, fill_service_id, return_url, sign_in
from server import Pippin

GOOD = [f"https://shop{number}.orchard.example/callback?type=appleid" for number in range(1, 11)]
BAD = {
    3: "http://shop3.orchard.example/callback",
    7: "https://elsewhere.example/callback",
    10: "https://shop10.orchard.example/callback#top",
}
COMPLAINTS = {3: "Use https for", 7: "neither one of this Service ID's domains", 10: "fragment"}


@pytest.fixture
def console(signed_in_console: Console) -> Console:
    return signed_in_console


def test_bad_return_urls_are_told_beside_their_rows_and_nothing_is_lost(console: Console, screenshot):
    console.register_app_id("com.orchard.tarts", "Tarts app")
    console.register_app_id("com.orchard.pies", "Pies app")
    typed = [BAD.get(number, GOOD[number - 1]) for number in range(1, 11)]
    page = console.open("service-ids/new")
    fill_service_id(
        page, "com.orchard.pies.web", "Pies & <Tarts>", of="com.orchard.pies", return_urls=typed,
        domains="orchard.example",
    )
    page.get_by_role("button", name="Create").click()

    summary = page.get_by_role("alert")
    expect(summary).to_be_focused()
    expect(summary.get_by_role("link")).to_have_count(3)
    for number, complaint in COMPLAINTS.items():
        row = page.get_by_role("listitem").filter(has=return_url(page, number))
        expect(row).to_contain_text(complaint)
        expect(return_url(page, number)).to_have_attribute("aria-invalid", "true")
    for number, url in enumerate(typed, start=1):
        expect(return_url(page, number)).to_have_value(url)
    expect(page.get_by_label("Description", exact=True)).to_have_value("Pies & <Tarts>")
    expect(page.get_by_label("Domains", exact=True)).to_have_value("orchard.example")
    expect(page.get_by_label("App ID", exact=True)).to_have_value("com.orchard.pies")
    screenshot(page, "return-urls")

    summary.get_by_role("link").nth(1).click()
    expect(return_url(page, 7)).to_be_focused()
    for number in BAD:
        return_url(page, number).fill(GOOD[number - 1])
    page.get_by_role("button", name="Create").click()
    expect(page.get_by_role("heading", name="Pies & <Tarts>", level=1)).to_be_visible()
    for number, url in enumerate(GOOD, start=1):
        expect(return_url(page, number)).to_have_value(url)


def test_each_wrong_domain_is_told_once(console: Console, screenshot):
    console.register_app_id("com.orchard.jam", "Jam app")
    page = console.open("service-ids/new")
    fill_service_id(
        page, "com.orchard.jam.web", "Jam", of="com.orchard.jam", return_urls=GOOD[:1],
        domains="jam\norchard.example\nhttps://jam.example",
    )
    told = [
        re.compile(r'^"jam" is not a host name'), re.compile("^https://jam.example: Enter only the host name"),
    ]
    lines = page.locator("#field-domains-error .line")
    expect(lines).to_have_text(told)
    page.get_by_role("button", name="Create").click()
    expect(page.get_by_role("alert").get_by_role("link")).to_have_count(2)
    expect(lines).to_have_text(told)
    screenshot(page, "domains")


def test_what_is_typed_to_confirm_says_which_character_differs(console: Console, screenshot):
    console.register_app_id("com.orchard.Oil1", "Oil app")
    page = console.open("app-ids/com.orchard.Oil1")
    field = page.get_by_label("Type com.orchard.Oil1 to confirm")
    button, error = page.get_by_role("button", name="Delete App ID"), page.locator("#field-confirmation-error")
    for typed, words in {
        "com.orchard.0il1": "character 13 is the digit 0, but should be the letter O",
        "com.orchard.oill": "character 16 is the letter l, but should be the digit 1",
        "com.orchard.oil11": "1 at the end is too much",
    }.items():
        field.fill(typed)
        expect(error).to_contain_text(words)
        expect(button).to_be_disabled()
    screenshot(page, "confirmation")
    field.fill("com.orchard.o")
    expect(error).to_have_count(0)
    expect(button).to_be_disabled()
    # As many characters as a reader takes them for, and a name that looks like a place in the sentence.
    words = {"differs": "%expected: %position, %typed, %right", "other": "%character", "letter": "%character"}
    told = page.evaluate("words => difference('👩‍🍳 %typed x', '👩‍🍳 %typed y', words)", words)
    assert told == "👩‍🍳 %typed y: 10, x, y"
    field.fill("COM.orchard.oIL1")
    page.get_by_label("Reason").fill("Nobody wants it")
    button.click()
    expect(page.get_by_role("heading", name="App IDs", level=1)).to_be_visible()


def test_an_accent_colour_that_is_mended_is_not_called_wrong_any_more(console: Console):
    page = console.open("settings")
    colour, error = page.get_by_label("Accent colour"), page.locator("#field-accentColour-error")
    colour.fill("#12")
    page.locator("form", has=colour).get_by_role("button", name="Save").click()
    expect(error).to_be_visible()
    expect(colour).to_have_attribute("aria-invalid", "true")
    colour.press("End")
    colour.press_sequentially("3456")
    expect(error).to_have_count(0)
    expect(colour).not_to_have_attribute("aria-invalid", "true")
    expect(colour).to_have_attribute("aria-describedby", "field-accentColour-hint")


def test_an_identifier_that_is_taken_is_told_beside_it(console: Console):
    console.register_app_id("com.orchard.Crumble", "Crumble app")
    page = console.open("service-ids/new")
    fill_service_id(
        page, "COM.orchard.crumble", "Crumble Web", of="com.orchard.Crumble", domains="orchard.example",
        return_urls=GOOD[:2],
    )
    page.get_by_role("button", name="Create").click()
    identifier = page.get_by_label("Identifier", exact=True)
    expect(page.locator("#field-identifier-error")).to_contain_text("is the bundle ID of an App ID")
    expect(identifier).to_have_value("COM.orchard.crumble")
    expect(return_url(page, 2)).to_have_value(GOOD[1])


def test_a_team_id_that_is_taken_is_told_beside_it(console: Console):
    page = console.open("/teams/new")
    page.get_by_label("Team name", exact=True).fill("Second Orchard")
    page.get_by_label("Team ID", exact=True).fill(console.team_id)
    page.get_by_role("radio", name="Sandbox").check()
    page.get_by_role("button", name="Create team").click()
    expect(page.locator("#field-team_id-error")).to_contain_text("This ID is taken")
    expect(page.get_by_label("Team name", exact=True)).to_have_value("Second Orchard")
    expect(page.get_by_role("radio", name="Sandbox")).to_be_checked()


def test_the_later_of_two_saves_sees_both_versions(console: Console, new_context, pippin: Pippin, screenshot):
    console.register_app_id("com.orchard.cake", "Cake app")
    console.create_service_id(
        "com.orchard.cake.web", "Cake Shop", of="com.orchard.cake", domains="orchard.example", return_urls=GOOD[:1]
    )
    first = console.open("service-ids/com.orchard.cake.web")
    second = new_context().new_page()
    sign_in(second, pippin, console.email, console.password)
    second.goto(first.url)

    save(first, {"Description": "Cakes by Ada"})
    expect(first.get_by_role("status")).to_contain_text("Saved")
    save(second, {"Description": "Cakes by Ben", "Return URL 2": GOOD[1]})
    expect(second.get_by_role("heading", name="com.orchard.cake.web was changed while you were editing")).to_be_visible()
    description = second.get_by_role("row").filter(has_text="Description")
    expect(description.get_by_role("cell")).to_have_text(["Cakes by Ada", "Cakes by Ben"])
    urls = second.get_by_role("row").filter(has_text="Return URLs").get_by_role("cell")
    expect(urls.nth(0)).not_to_contain_text(GOOD[1])
    expect(urls.nth(1)).to_contain_text(GOOD[1])
    screenshot(second, "conflict")
    first.reload()
    expect(first.get_by_label("Description", exact=True)).to_have_value("Cakes by Ada")

    second.get_by_role("button", name="Save mine instead").click()
    expect(second.get_by_role("status")).to_contain_text("Saved")
    first.reload()
    expect(first.get_by_label("Description", exact=True)).to_have_value("Cakes by Ben")
    expect(return_url(first, 2)).to_have_value(GOOD[1])


def test_who_yields_to_the_earlier_save_edits_on_from_it(console: Console, new_context):
    console.register_app_id("com.orchard.bread", "Bread app")
    first, second = console.open("app-ids/com.orchard.bread"), console.page.context.new_page()
    second.goto(first.url)
    save(first, {"Description": "Bread by Ada"})
    expect(first.get_by_role("status")).to_contain_text("Saved")
    save(second, {"Description": "Bread by Ben"})
    second.get_by_role("link", name="Use theirs and keep editing").click()
    expect(second.get_by_label("Description", exact=True)).to_have_value("Bread by Ada")


def save(page: Page, fields: dict[str, str]) -> None:
    for label, value in fields.items():
        page.get_by_label(label, exact=True).fill(value)
    page.get_by_role("button", name="Save", exact=True).click()


def test_a_long_address_breaks_between_its_parts_and_is_copied_whole(console: Console):
    page = console.open()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    row = page.locator("dl.facts > div").filter(has_text="Discovery URL")
    expect(row.locator("code wbr")).to_have_count(8)
    row.get_by_role("button").click()
    address = f"{console.url}/t/{console.team_id}/.well-known/openid-configuration"
    assert page.evaluate("navigator.clipboard.readText()") == address
