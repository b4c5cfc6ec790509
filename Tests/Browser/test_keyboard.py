"""No mouse: an app is registered by Tab, arrow keys, letters and Enter alone."""

import pytest
from playwright.sync_api import Page, expect

from console import Console

pytestmark = pytest.mark.quick

STOPS = 60


def enter(page: Page, heading: str) -> None:
    """Presses Enter, and waits for the page that it leads to."""
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name=heading, level=1)).to_be_visible()
    page.wait_for_load_state()


def tab_to(page: Page, name: str) -> None:
    """Presses Tab until what is called that has the focus, which has to show."""
    for _ in range(STOPS):
        page.keyboard.press("Tab")
        focused = page.evaluate(
            """() => {
                const it = document.activeElement;
                const label = it.ariaLabel ?? it.labels?.[0]?.textContent ?? it.textContent;
                const style = getComputedStyle(it), after = getComputedStyle(it, "::after");
                return [label.trim(), [style, after].some((one) => one.outlineStyle !== "none")];
            }"""
        )
        if focused[0] == name:
            assert focused[1], f"{name} does not show that it has the focus"
            return
    raise AssertionError(f"{STOPS} times Tab on {page.url} never came to {name!r}")


def test_an_app_is_registered_by_keyboard_alone(story_team):
    console: Console = story_team("KEYBOARD01")[0]
    page = console.open()
    expect(page.get_by_role("heading", name="Get started")).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the page")).to_be_focused()
    tab_to(page, "App IDs")
    enter(page, "App IDs")
    tab_to(page, "Skip to the page")
    page.keyboard.press("Enter")
    tab_to(page, "New App ID")
    enter(page, "New App ID")
    tab_to(page, "Description")
    page.keyboard.type("Hothouse")
    tab_to(page, "Bundle ID")
    page.keyboard.type("com.keyboard.hothouse")
    enter(page, "Hothouse")

    tab_to(page, "Skip to the page")
    page.keyboard.press("Enter")
    tab_to(page, "New Service ID")
    enter(page, "New Service ID")
    expect(page.get_by_label("App ID", exact=True)).to_have_value("com.keyboard.hothouse")
    tab_to(page, "Description")
    page.keyboard.type("Hothouse Club")
    tab_to(page, "Identifier")
    page.keyboard.type("com.keyboard.hothouse.web")
    tab_to(page, "Domains")
    page.keyboard.type("hothouse.example")
    tab_to(page, "Return URL 1")
    page.keyboard.type("https://hothouse.example/callback")
    tab_to(page, "Create")
    enter(page, "Hothouse Club")
    expect(page.get_by_label("Return URL 1", exact=True)).to_have_value("https://hothouse.example/callback")
