"""What a newcomer found wrong in the console, each once: numbers, names, rights, forms, and what ends at once."""

import re
from urllib.parse import parse_qsl, quote

import requests
from playwright.sync_api import Page, expect

import database
import hosted
from app_sign_in import sign_in_for_the_first_time, start_sign_in
from cast import ADA, BEN, CLEO, Person, registered
from console import Console, fill_service_id, return_url, sign_in
from page_checks import PHONE, overhang
from sample_app import SampleApp
from server import Pippin
from waiting import SECONDS

DEE = Person("Dee", "Veloper", "dee@faults.example", "forks-in-the-orchard-road")
# What the list of a number says of itself.
SUMMARY = ".paging > span"


def number(text: str) -> str:
    """The number in a text."""
    return re.search(r"\d[\d,]*", text).group()


def refuse_token(pippin: Pippin, team, app: SampleApp, visitor: Page) -> None:
    """A sign-in whose code the app redeems with another return URL than it began with."""
    visitor.route(f"{app.return_url}**", lambda route: route.fulfill(status=204))
    start_sign_in(visitor, app)
    hosted.prove(visitor, BEN)
    hosted.share_email(visitor)
    with visitor.expect_request(f"{app.return_url}**") as answer:
        hosted.press_continue(visitor)
    client_id, secret = app.client().get_key_and_secret()
    fields = {
        "grant_type": "authorization_code", "client_id": client_id, "client_secret": secret,
        "code": dict(parse_qsl(answer.value.post_data))["code"], "redirect_uri": app.return_url + "/elsewhere",
    }
    refused = requests.post(f"{pippin.url}/t/{team.id}/auth/token", fields, timeout=SECONDS)
    assert refused.status_code == 400, refused.text


def test_numbers_and_names_are_those_of_the_lists(story_team, sample_app: SampleApp, pippin: Pippin, new_context, secrets):
    console, team = story_team("NUMBERS001", sample_app.return_url)
    base = f"{pippin.url}/t/{team.id}"
    sample_app.use(base, team.id, team.client_id, team.key.id, team.key.private_pem)
    visitor = new_context().new_page()
    sign_in_for_the_first_time(visitor, sample_app, ADA)
    refuse_token(pippin, team, sample_app, new_context().new_page())
    stranger = new_context().new_page()
    for url in ("callback", "elsewhere", "nowhere"):
        stranger.goto(f"{base}/auth/authorize?response_type=code&client_id={team.client_id}"
                      f"&redirect_uri={quote(sample_app.url + '/' + url, safe='')}")
    stranger.goto(f"{base}/auth/authorize?response_type=code&client_id={team.client_id}"
                  f"&redirect_uri={quote(sample_app.return_url, safe='')}")
    for _ in range(2):
        hosted.prove(stranger, Person("Cleo", "Patra", CLEO.email, "not-the-password"))
        expect(stranger.get_by_role("alert")).to_be_visible()
    # A key that is revoked is in the list of keys, too.
    console.revoke_key(console.create_key("Second", of=team.app_id), "For this test")
    counted = "SELECT 1 FROM daily_counts WHERE team_id = :'team' AND measure = 'failure' HAVING sum(count) = 5"
    database.until(pippin, counted, team=team.id)

    page = console.open()
    numbers = page.locator(".counts a, .causes li, .chart-head a").evaluate_all(
        "all => all.map((one) => [one.innerText, (one.href ?? one.querySelector('a').href)])"
    )
    assert len(numbers) == 8, numbers
    for text, url in numbers:
        page.goto(url)
        assert number(page.locator(SUMMARY).first.inner_text()) == number(text), (text, url)
        assert page.locator(".rows > li, .table-lines tbody tr").count() >= int(number(text)), url

    # What a state is called in the list is what its filter says, and each row's link has a name of its own.
    page = console.open("traces")
    states = page.locator(".rows .badge").all_inner_texts()
    page.locator("summary", has_text="Filter").click()
    options = " ".join(page.get_by_label("Outcome", exact=True).locator("option").all_inner_texts()).lower()
    assert states and all(state.lower() in options for state in states), (states, options)
    names = page.locator(".rows .row-link").all_text_contents()
    assert len(set(names)) == len(names), names
    # A wrong password is told though the sign-in is not over.
    expect(page.get_by_role("listitem").filter(has_text="In progress")).to_contain_text("password")

    # Impossible days are told beside their fields, and the list is not empty for them.
    page = console.open("traces?from=2026-11-20&to=2026-11-19")
    expect(page.get_by_label("To (UTC)")).to_have_attribute("aria-invalid", "true")
    expect(page.locator(".chip")).to_have_count(1)
    expect(console.open("audit?from=0000-01-01").get_by_label("From (UTC)")).to_have_attribute("aria-invalid", "true")

    # The inspector shows the URL that the code was issued to.
    page = console.open("traces?cause=code_of_other_return_url")
    page.locator(".row-link").first.click()
    known = page.get_by_role("main").filter(has_text="Registered and expected")
    expect(known.get_by_text(sample_app.return_url, exact=True).first).to_be_visible()
    expect(known.get_by_text(sample_app.return_url + "/elsewhere", exact=True).first).to_be_visible()

    ends_say_what_they_end(console, page)
    stopped_people_are_marked(console, page)


def ends_say_what_they_end(console: Console, page: Page) -> None:
    """*End consent* opens what it says, and nothing ends before its reason is told."""
    console.open("users?q=ada")
    page.get_by_role("link", name="Ada Lovelace").click()
    user = page.url
    box = page.get_by_role("link", name="End consent").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page.get_by_role("heading", name="End consent to Acme", level=1)).to_be_visible()
    for action, effect in {
        "Revoke": "can no longer use this token", "Revoke all tokens": "1 token of Ada Lovelace",
        "Sign out everywhere": "1 session of Ada Lovelace ends", "End consent": "1 token of Ada Lovelace",
    }.items():
        page.goto(user)
        page.get_by_role("link", name=re.compile(f"^{action}( com.acme.web| Acme)?$")).click()
        expect(page.get_by_role("main")).to_contain_text(effect)
    page.get_by_role("button", name="End consent").click()
    expect(page.locator("#field-reason-error")).to_be_visible()
    page.get_by_label("Reason", exact=True).fill("She asked")
    page.get_by_role("button", name="End consent").click()
    expect(page.get_by_role("status")).to_contain_text("The consent is ended")


def stopped_people_are_marked(console: Console, page: Page) -> None:
    page.get_by_role("region", name="Suspend this user").get_by_label("Reason", exact=True).fill("A test")
    page.get_by_role("button", name="Suspend", exact=True).click()
    console.open("users")
    expect(page.get_by_role("row", name=re.compile("Ada Lovelace"))).to_contain_text("Suspended")
    expect(page.get_by_role("row", name=re.compile("Ben Nevis"))).not_to_contain_text("Suspended")


def test_forms_offer_what_can_be_done(story_team, pippin: Pippin, new_context):
    console, team = story_team("OFFERS0001")
    page = console.page
    assert page.goto(f"{console.url}/console/").status == 200 and page.url == f"{console.url}/console"

    # Of what is full, nothing is made; nothing is chosen by itself.
    console.register_app_id("com.acme.second", "Second")
    console.create_key("Another", of=team.app_id)
    console.open("keys/new")
    apps = page.get_by_label("App ID", exact=True)
    expect(apps).to_have_value("com.acme.second")
    expect(apps.locator(f"option[value='{team.app_id}']")).to_be_disabled()
    console.register_app_id("com.acme.third", "Third")
    console.open("keys/new")
    expect(apps).to_have_value("")

    # Only what can be offered is.
    console.open("app-ids/com.acme.third")
    page.get_by_label("Grouped under", exact=True).select_option("com.acme.second")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("Saved")
    console.open("transfers")
    assert apps.locator("option").evaluate_all("all => all.map((one) => one.value)") == ["", team.app_id]
    apps.select_option(team.app_id)
    page.get_by_label("Team ID of the other team").fill("FALLOW0001")
    page.get_by_role("button", name="Offer", exact=True).click()
    expect(page.get_by_text("No App ID can be offered")).to_be_visible()

    # Whoever is invited twice has one link that works.
    for again in (False, True):
        console.open("members")
        page.get_by_label("Email address", exact=True).fill("eve@offers.example")
        page.get_by_role("radio", name="Auditor").check()
        page.get_by_role("button", name="Send invitation").click()
        said = expect(page.get_by_role("status"))
        (said.to_contain_text if again else said.not_to_contain_text)("The link in the earlier one no longer works")

    # One empty return URL at a time; live errors have the sign that later ones have.
    console.open("service-ids/new")
    fill_service_id(page, "com.acme.other", "Other", of="com.acme.second", return_urls=[])
    expect(page.locator(".lines li:visible")).to_have_count(1)
    return_url(page, 1).fill("nonsense")
    expect(page.locator(".lines li:visible")).to_have_count(2)
    expect(page.locator("#field-returnURLs-1-error svg.icon")).to_be_visible()
    page.get_by_role("button", name="Create").click()
    summary = page.get_by_role("alert")
    expect(summary).to_be_focused()
    assert summary.evaluate("e => getComputedStyle(e).outlineColor === getComputedStyle(e).color")
    return_url(page, 1).fill("http://127.0.0.1:9/callback")
    page.get_by_role("button", name="Create").click()
    expect(page.get_by_role("heading", name="Other", level=1)).to_be_visible()

    # A domain that needs no check is not called wrong.
    page.get_by_role("link", name="127.0.0.1", exact=True).click()
    page.get_by_role("button", name="Check now").click()
    expect(page.get_by_role("main")).to_contain_text("Nothing to do")
    expect(page.locator("main .badge-bad, main .finding-bad")).to_have_count(0)

    versions_fit_a_phone(console, page, new_context, pippin)
    colours_are_judged_as_they_are_typed(console, page)
    filters_are_in_line(console, page)


def versions_fit_a_phone(console: Console, page: Page, new_context, pippin: Pippin) -> None:
    """Two people save one thing: the later one sees both versions and both ways on, one below the other."""
    phone = new_context("phone").new_page()
    sign_in(phone, pippin, console.email, console.password)
    phone.goto(f"{console.url}/console/{console.team_id}/app-ids/com.acme.second")
    console.open("app-ids/com.acme.second")
    for window, name in ((page, "First"), (phone, "Later")):
        window.get_by_label("Description", exact=True).fill(name)
        window.get_by_role("button", name="Save", exact=True).click()
    for shown in (phone.get_by_role("cell", name=re.compile("Later$")), phone.get_by_role("button", name="Save mine instead")):
        shown.scroll_into_view_if_needed()
        box = shown.bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= PHONE["width"], box
    assert overhang(phone) == []


def colours_are_judged_as_they_are_typed(console: Console, page: Page) -> None:
    console.open("settings")
    colour, error = page.get_by_label("Accent colour"), page.locator("#field-accentColour-error")
    colour.fill("blue")
    expect(error).to_contain_text("#0b57d0")
    colour.fill("#ffee00")
    expect(error).to_have_count(0)
    button = page.frame_locator("iframe.preview").get_by_role("button", name="Sign in", exact=True)
    expect(button).to_have_css("background-color", "rgb(255, 238, 0)")
    expect(button).to_have_css("color", "rgb(0, 0, 0)")


def filters_are_in_line(console: Console, page: Page) -> None:
    """Fields of one line have one height, whatever they hold."""
    console.open("traces?test=no")
    heights = page.locator(".filter-form :is(input, select, button)").evaluate_all(
        "all => [...new Set(all.map((one) => one.getBoundingClientRect().height))]"
    )
    assert len(heights) == 1, heights


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
