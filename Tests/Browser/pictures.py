"""Takes the pictures of the documentation: a demo, set up and used as people would. See scripts/pictures."""

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, expect, sync_playwright

import hosted
from cast import Person, registered
from console import EMAIL, PASSWORD, Console, fill_set_up
from server import Pippin

WINDOW = {"width": 1440, "height": 900}
SCALE = 1.5
HEAVIEST = 300_000
TEAM = "DEMOTEAM01"
PEOPLE = (
    Person("Grace", "Hopper", "grace@acme.example", "nanoseconds-of-wire"),
    Person("Katherine", "Johnson", "katherine@acme.example", "orbits-by-hand-1962"),
    Person("Annie", "Easley", "annie@acme.example", "centaur-upper-stage"),
)


def main(folder: Path) -> None:
    home = Path(tempfile.mkdtemp(prefix="pippin-pictures-"))
    home.chmod(0o755)
    demo = Pippin(home, options=("--demo",), port=8080)
    try:
        demo.start()
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
            use(demo, browser, folder)
            browser.close()
        demo.stop()
    finally:
        if demo.process is not None:
            demo.process.terminate()
            demo.process.wait(30)
        shutil.rmtree(home, ignore_errors=True)


def use(demo: Pippin, browser: Browser, folder: Path) -> None:
    operator = new_page(browser)
    operator.goto(demo.printed("Set-up"))
    fill_set_up(operator, team="Seedlings")
    operator.get_by_role("button", name="Set up Pippin").click()
    expect(operator.get_by_role("heading", name="Seedlings", level=1)).to_be_visible()
    demo.apply({"teams": [{"id": TEAM, "users": registered(PEOPLE)}]})
    *early, late = PEOPLE
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
    visitor.goto(demo.printed("Try it"))
    visitor.get_by_role("link", name="Sign in with Pippin").click()
    visitor.get_by_label("E-mail address").fill("ada@acme.example")
    visitor.get_by_label("Password").focus()
    keep(visitor, folder / "sign-in.png")

    operator.goto(f"{demo.url}/console/{TEAM}")
    expect(operator.get_by_role("heading", name="Acme", level=1)).to_be_visible()
    keep(operator, folder / "console.png")


def sign_in(page: Page, demo: Pippin, person: Person) -> None:
    page.goto(demo.printed("Try it"))
    page.get_by_role("link", name="Sign in with Pippin").click()
    hosted.prove(page, person)
    hosted.expect_consent_sheet(page)
    hosted.press_continue(page)
    expect(page.get_by_role("heading", name=f"Hello {person.given_name}")).to_be_visible()
    page.context.close()


def new_page(browser: Browser) -> Page:
    return browser.new_context(locale="en-US", viewport=WINDOW, device_scale_factor=SCALE).new_page()


def keep(page: Page, file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=file)
    assert file.stat().st_size < HEAVIEST, f"{file} is too heavy: {file.stat().st_size} bytes"
    print(file)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
