"""What a team registers beyond its apps: proven domains, keys that change over, email sources."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from cast import Acme
from console import Console, facts
from name_server import NameServer
from server import Pippin
from web_site import WebSite

FILE = "/.well-known/apple-developer-domain-association.txt"
P8 = """-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgjpsQnnGQmL+YBIff
H1136cspYG6+0iY7X1fCE9+E9LKhRANCAAR/zc4ncPbEXUGDy+5v20t7WAczNXvp
7xO6z248e9FURcfxRM0bvZt+hyzf7bnuufSzaV1uqQskrYpGIyiFiOWt
-----END PRIVATE KEY-----
"""


@pytest.fixture
def console(signed_in_console: Console) -> Console:
    return signed_in_console


@pytest.fixture
def site() -> Iterator[WebSite]:
    site = WebSite()
    site.start()
    yield site
    site.stop()


def check(page: Page, words: str) -> None:
    page.get_by_role("button", name="Check").click()
    expect(page.locator(".finding")).to_contain_text(words)


def test_a_domain_is_verified_once_its_site_serves_the_file(story_team, site: WebSite, screenshot):
    console, team = story_team("SEEDSTEAM1", f"http://127.0.0.1:{site.port}/callback")
    page = console.open(f"service-ids/{team.client_id}")
    page.get_by_role("link", name="127.0.0.1", exact=True).click()
    # The check of all domains may have been there first.
    answered = page.get_by_text("The server answered 404 instead of 200.")
    expect(page.get_by_text("Not checked yet").or_(answered).first).to_be_visible()
    address, content = [code.inner_text() for code in page.locator(".code code").all()]
    assert address == f"http://127.0.0.1:{site.port}{FILE}"

    check(page, "The server answered 404 instead of 200.")
    site.pages[FILE] = (302, {"Location": "https://www.orchard.example/"}, "")
    check(page, "The server answered 302, a redirect.")
    expect(page.locator("dl.facts")).to_contain_text("https://www.orchard.example/")
    site.pages[FILE] = (200, {}, "<!doctype html><title>Orchard</title>")
    check(page, "another content")
    expect(page.locator("dl.facts")).to_contain_text("<title>Orchard</title>")
    screenshot(page, "domain-failing")
    site.pages[FILE] = (200, {}, content + "\n")
    check(page, "white space around it")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download apple-developer-domain-association.txt").click()
    site.pages[FILE] = (200, {}, download.value.path().read_text())
    check(page, "The file is there.")
    expect(page.get_by_text("Verified", exact=True)).to_be_visible()
    screenshot(page, "domain-verified")

    page.get_by_role("link", name=team.client_id).click()
    row = page.get_by_role("listitem").filter(has_text="127.0.0.1").filter(has_text="Verified")
    expect(row).to_be_visible()


def test_keys_change_over_without_a_gap(console: Console, pippin: Pippin, acme: Acme, new_context, screenshot):
    console.register_app_id("com.orchard.roots", "Roots app")
    first = console.create_key("Old server", of="com.orchard.roots")
    page = console.page
    guide = page.get_by_role("region", name="Rotate without downtime")
    expect(guide.get_by_role("listitem").filter(has_text="Create a second key")).to_be_visible()
    expect(guide.get_by_text("This key")).to_be_visible()
    screenshot(page, "key-rotation")
    guide.get_by_role("link", name="New key").click()
    page.get_by_label("Name", exact=True).fill("New server")
    page.get_by_role("button", name="Create key").click()
    second = facts(page)["Key ID"]
    guide = page.get_by_role("region", name="Rotate without downtime")
    expect(guide.get_by_role("link", name="Old server")).to_be_visible()
    expect(guide.get_by_role("link", name="New key")).to_have_count(0)

    console.revoke_key(first, "Changed over")
    page = console.open(f"keys/{second}")
    guide = page.get_by_role("region", name="Rotate without downtime")
    expect(guide.get_by_role("link", name="Old server")).to_have_count(0)
    expect(guide.get_by_role("link", name="New key")).to_be_visible()


def test_a_key_from_apple_is_taken_in_and_forgotten(console: Console, tmp_path, screenshot):
    console.register_app_id("com.orchard.sorb", "Sorb app")
    page = console.open("keys")
    page.get_by_role("link", name="Import a key from Apple").click()
    file = tmp_path / "AuthKey_KEY1234567.p8"
    file.write_text(P8)
    page.locator("input[type=file]").set_input_files(file)
    expect(page.get_by_label("Content of the .p8 file")).to_have_value(P8)
    expect(page.get_by_label("Key ID")).to_have_value("KEY1234567")
    page.get_by_label("Apple Team ID").fill("ABCDE12345")
    page.get_by_label("Name", exact=True).fill("Orchard at Apple")
    page.get_by_label("App ID", exact=True).select_option("com.orchard.sorb")
    page.get_by_role("button", name="Import key").click()
    expect(page.get_by_role("heading", name="Orchard at Apple", level=1)).to_be_visible()
    assert P8.splitlines()[1] not in page.content()
    screenshot(page, "apple-key")

    page.get_by_label("Type KEY1234567 to confirm").fill("KEY1234567")
    page.get_by_label("Reason", exact=True).fill("Rotated")
    page.get_by_role("button", name="Remove key").click()
    expect(page.get_by_text("None yet. You need one once people sign in with Apple itself.")).to_be_visible()


def test_an_e_mail_source_says_which_record_to_add(console: Console, name_server: NameServer, screenshot):
    page = console.open("email-sources")
    page.get_by_role("link", name="New email source").click()
    page.get_by_label("Domain or address", exact=True).fill("orchard.example")
    page.get_by_label("DKIM selectors", exact=True).fill("s1")
    page.get_by_role("button", name="Add").click()
    spf = page.get_by_role("region", name="SPF record")
    expect(spf).to_contain_text("There is none")
    record = spf.locator("dd code").last.inner_text()
    assert record == "v=spf1 mx ~all"
    screenshot(page, "email-source")

    name_server.names["orchard.example"] = [record, "site=1"]
    name_server.names["s1._domainkey.orchard.example"] = ["v=DKIM1; k=rsa; p=" + "QUJD" * 100]
    page.get_by_role("button", name="Check again").click()
    expect(page.get_by_role("status")).to_contain_text("All records are correct")
    page.get_by_label("DKIM selectors", exact=True).fill("s1\ns2._domainkey")
    expect(page.locator("#field-selectors-error")).to_contain_text("Enter only the selector")
    page.get_by_label("DKIM selectors", exact=True).fill("s1\ns2")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("region", name="DKIM record of s2")).to_contain_text("Missing")


def test_a_wrong_identifier_is_explained_while_it_is_typed(console: Console):
    console.register_app_id("com.orchard.medlar", "Medlar app")
    page = console.open("service-ids/new")
    page.get_by_label("App ID", exact=True).select_option("com.orchard.medlar")
    identifier = page.get_by_label("Identifier", exact=True)
    identifier.fill("com.orchard.medlar")
    error = page.locator("#field-identifier-error")
    expect(error).to_contain_text("a Service ID never has that name")
    expect(identifier).to_have_attribute("aria-invalid", "true")
    # What nobody has reached yet is not complained about.
    expect(page.locator("#field-description-error")).to_have_count(0)
    identifier.fill("com.orchard.medlar.web")
    expect(error).to_have_count(0)
