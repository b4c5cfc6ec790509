"""Takes the pictures of the documentation: a demo, set up and used as people would. See scripts/pictures."""

import base64
import shutil
import sys
import tempfile
from pathlib import Path

import requests
from playwright.sync_api import Browser, Page, expect, sync_playwright

import database
import hosted
from cast import Person, registered
from console import EMAIL, PASSWORD, Console, fill_service_id, fill_set_up
from name_server import NameServer
from server import Pippin
from waiting import SECONDS

WINDOW = {"width": 1280, "height": 800}
SCALE = 1.5
QUALITY = 82
HEAVIEST = 80_000
TEAM = "DEMOTEAM01"
GRACE = Person("Grace", "Hopper", "grace@acme.example", "nanoseconds-of-wire")
PEOPLE = (
    GRACE,
    Person("Katherine", "Johnson", "katherine@acme.example", "orbits-by-hand-1962"),
    Person("Annie", "Easley", "annie@acme.example", "centaur-upper-stage"),
)
RETURN_URL = "https://www.juniper.example/auth/apple/callback"
# What differs from run to run, and what stands in its place: a picture changes when its page does.
STILL = r"""(known) => {
    // As long before that day as it is before today.
    const shifted = (day) => {
        const age = Math.round((Date.now() - Date.parse(`${day} UTC`)) / 86_400_000 - 0.5);
        const options = { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" };
        return new Date(Date.UTC(2026, 10, 20 - age)).toLocaleDateString("en-GB", options);
    };
    const shapes = [
        [/\d{1,2} [A-Z][a-z]{2,3} 20\d\d, \d\d:\d\d/g, "20 Nov 2026, 09:41"],
        [/000000\.[0-9a-f]{32}\.0000/g, "000000.8f14e45fceea167a5a36dedd4bea2543.0000"],
        [/\b[0-9a-f]{64}\b/g, "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"],
        [/\b[0-9a-f]{28}\b/g, "01a1fa2c0de5eed1e55ba0bab1e5"],
        [/\b[0-9a-f]{16}\b/g, "5eed1e55ba0bab1e"],
        [/\b1[78]\d{8}\b/g, "1795167660"],
        [/\d{1,2} [A-Z][a-z]{2,3} 20\d\d(?!,)/g, shifted],
    ];
    const still = (text) => shapes.reduce(
        (all, [shape, other]) => all.replace(shape, other),
        Object.entries(known).reduce((all, [one, other]) => all.replaceAll(one, other), text),
    );
    // Long words are in parts, between which lines may break.
    for (const gap of document.querySelectorAll("wbr")) gap.remove();
    document.body.normalize();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) node.data = still(node.data);
    for (const field of document.querySelectorAll("input:not([type=hidden]), textarea")) field.value = still(field.value);
    breakAtParts(document.body);
}"""
# Sign-ins and new users of the days before, as they rise and fall in a week.
WEEK = (31, 28, 34, 30, 26, 12, 9)


class Album:
    """Keeps pictures of pages as small WebP files."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.known: dict[str, str] = {}

    def keep(self, page: Page, name: str, at: str | None = None) -> None:
        """Keeps the window, scrolled so far that the part at a selector is near its top."""
        page.wait_for_load_state("networkidle")  # a form is checked as it is typed
        page.evaluate(STILL, self.known)
        page.evaluate(
            """(at) => {
                const to = at && document.querySelector(at);
                scrollTo({ top: to ? to.getBoundingClientRect().top + scrollY - 88 : 0, behavior: "instant" });
                document.activeElement?.blur?.();
            }""",
            at,
        )
        taken = page.context.new_cdp_session(page).send(
            "Page.captureScreenshot", {"format": "webp", "quality": QUALITY}
        )
        file = self.folder / f"{name}.webp"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(base64.b64decode(taken["data"]))
        assert file.stat().st_size < HEAVIEST, f"{file} is too heavy: {file.stat().st_size} bytes"
        print(file)

    def keep_both(self, page: Page, name: str) -> None:
        """Keeps the window in light and in dark."""
        for look in ("light", "dark"):
            page.emulate_media(color_scheme=look, reduced_motion="reduce")
            self.keep(page, f"{name}-{look}")


def main(folder: Path) -> None:
    home = Path(tempfile.mkdtemp(prefix="pippin-pictures-"))
    home.chmod(0o755)
    names = NameServer()
    names.start()
    demo = Pippin(home, options=("--demo", "--dns-server", names.address), port=8080)
    try:
        demo.start()
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
            album = Album(folder)
            operator = new_page(browser)
            console = found(operator, demo, album)
            guide(console, demo, browser, album)
            readme(operator, demo, browser, album)
            browser.close()
        demo.stop()
    finally:
        names.stop()
        if demo.process is not None:
            demo.process.terminate()
            demo.process.wait(SECONDS)
        shutil.rmtree(home, ignore_errors=True)


def found(operator: Page, demo: Pippin, album: Album) -> Console:
    """The operator's first team, which the guide is about."""
    operator.goto(demo.printed("Set-up"))
    fill_set_up(operator, team="Juniper Books")
    operator.get_by_role("radio", name="Production").check()
    operator.get_by_role("button", name="Set up Pippin").click()
    expect(operator.get_by_role("heading", name="Juniper Books", level=1)).to_be_visible()
    team = operator.url.rsplit("/", 1)[1]
    [key] = requests.get(f"{demo.url}/t/{team}/auth/keys", timeout=SECONDS).json()["keys"]
    album.known = {team: "JUNIPER001", demo.url: "https://id.example", key["kid"]: "q3Vb8LkT1x"}
    demo.apply({"teams": [{"id": TEAM, "users": registered(PEOPLE)}, {"id": team, "users": registered((GRACE,))}]})
    return Console(demo.url, team, EMAIL, PASSWORD, "", {}, operator)


def guide(console: Console, demo: Pippin, browser: Browser, album: Album) -> None:
    """The steps of docs/guide.md, in its order."""
    keep = lambda name, at=None: album.keep(page, f"guide/{name}", at)
    page = console.open()
    keep("overview")
    page = console.open("app-ids/new")
    page.get_by_label("Description", exact=True).fill("Juniper Books")
    page.get_by_label("Bundle ID", exact=True).fill("com.juniper.books")
    keep("app-id")
    console.register_app_id("com.juniper.books", "Juniper Books")
    page = console.open("service-ids/new")
    service = ("com.juniper.books.web", "Juniper Books")
    fill_service_id(
        page, *service, of="com.juniper.books", domains="juniper.example",
        return_urls=[RETURN_URL, "https://staging.juniper.example/auth/apple/callback"],
    )
    keep("service-id")
    page.get_by_role("button", name="Create", exact=True).click()
    expect(page.get_by_role("heading", name="Juniper Books", level=1)).to_be_visible()
    key = console.create_key("Web server", of="com.juniper.books")
    album.known[key] = "WEBSERVER1"
    keep("key")
    console.download_key(key)
    page = console.open("service-ids/com.juniper.books.web")
    keep("client", "[aria-labelledby=client-heading]")
    console.add_email_source("juniper.example", "s1")
    keep("email-source")
    page = console.open("service-ids/com.juniper.books.web/test-sign-ins/new")
    page.get_by_role("button", name="Start").click()
    hosted.prove(page, GRACE)
    hosted.expect_consent_sheet(page)
    keep("consent")
    hosted.press_continue(page)
    expect(page.get_by_text("Worked", exact=True)).to_be_visible()
    keep("try-it", ".timeline > li:last-child")
    fail(browser, demo, console.team_id)
    console.open("traces?outcome=failed")
    page.get_by_role("link", name="Juniper Books").first.click()
    expect(page.get_by_role("heading", name="The return URL is not registered")).to_be_visible()
    keep("failure")
    second = console.create_key("Web server, new", of="com.juniper.books")
    album.known[second] = "WEBSERVER2"
    page = console.open(f"keys/{key}")
    keep("rotation", "section:has(ol)")
    page = console.open("members")
    page.get_by_label("Email address", exact=True).fill("ben@juniper.example")
    keep("invitation", "[aria-labelledby=invitations-heading]")


def fail(browser: Browser, demo: Pippin, team: str) -> None:
    """An app that adds a slash to its return URL."""
    visitor = new_page(browser)
    visitor.goto(
        f"{demo.url}/t/{team}/auth/authorize?response_type=code&response_mode=form_post&scope=name%20email"
        f"&client_id=com.juniper.books.web&redirect_uri={RETURN_URL}/"
    )
    expect(visitor.get_by_role("heading", name="There’s a problem with this app’s sign-in setup")).to_be_visible()
    visitor.context.close()
    database.until(demo, "SELECT trace_id FROM traces WHERE team_id = :'team' AND outcome = 'failed'", len, team=team)


def readme(operator: Page, demo: Pippin, browser: Browser, album: Album) -> None:
    """A team that is in use, and the page its people sign in on."""
    *early, late = PEOPLE
    grow(demo)
    for person in early:
        sign_in(new_page(browser), demo, person)
    console = Console(demo.url, TEAM, EMAIL, PASSWORD, "", {}, operator)
    console.register_app_id("example.acme.couriers", "Acme Couriers")
    console.create_service_id(
        "example.acme.help", "Acme Help", of="example.acme.shop", domains="help.acme.example",
        return_urls=["https://help.acme.example/callback"],
    )
    console.create_key("Production server", of="example.acme.shop")
    sign_in(new_page(browser), demo, late)
    visitor = new_page(browser)
    visitor.goto(demo.printed("Sample"))
    visitor.get_by_role("link", name="Sign in with Pippin").click()
    visitor.get_by_label("Email address").fill("ada@acme.example")
    album.keep_both(visitor, "sign-in")
    today = "SELECT count FROM daily_counts WHERE team_id = :'team' AND measure = 'sign_in' AND day = current_date"
    database.until(demo, today, lambda rows: rows == [[str(len(PEOPLE))]], team=TEAM)
    operator.goto(f"{demo.url}/console/{TEAM}")
    expect(operator.get_by_role("heading", name="Demo", level=1)).to_be_visible()
    album.keep_both(operator, "console")


def grow(demo: Pippin) -> None:
    """Gives the demo team a month behind it."""
    days = range(1, 30)
    counts = [("sign_in", "", day, WEEK[day % 7] + (29 - day)) for day in days]
    counts += [("new_user", "", day, WEEK[(day + 2) % 7] // 6) for day in days]
    values = ", ".join(
        f"('{TEAM}', '{measure}', current_date - {day}, '{subject}', {count})"
        for measure, subject, day, count in counts
    )
    database.rows(
        demo,
        f"INSERT INTO daily_counts (team_id, measure, day, subject, count) VALUES {values}"
        " ON CONFLICT (team_id, measure, day, subject) DO UPDATE SET count = excluded.count",
    )
    # The people whom these days brought.
    database.rows(
        demo,
        f"INSERT INTO users (team_id, sub, created_at) SELECT '{TEAM}', format('000000.%s.0000', md5(day::text || n)),"
        f" current_date - day FROM (VALUES {', '.join(f'({day}, {WEEK[(day + 2) % 7] // 6})' for day in days)})"
        " AS arrived (day, count), generate_series(1, count) AS n",
    )
    for _ in range(3):
        requests.get(f"{demo.url}/t/{TEAM}/auth/authorize?response_type=code&client_id=example.acme.web"
                     "&redirect_uri=https%3A%2F%2Felsewhere.example", timeout=SECONDS)


def sign_in(page: Page, demo: Pippin, person: Person) -> None:
    page.goto(demo.printed("Sample"))
    page.get_by_role("link", name="Sign in with Pippin").click()
    hosted.prove(page, person)
    hosted.expect_consent_sheet(page)
    hosted.press_continue(page)
    expect(page.get_by_role("heading", name=f"Hello {person.given_name}")).to_be_visible()
    page.context.close()


def new_page(browser: Browser) -> Page:
    context = browser.new_context(
        locale="en-US", viewport=WINDOW, device_scale_factor=SCALE, reduced_motion="reduce", color_scheme="light"
    )
    return context.new_page()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
