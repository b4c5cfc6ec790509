"""Looks at pages as a careful reviewer does: what the browser complains of, what sticks out, what axe finds."""

from collections.abc import Callable
from pathlib import Path

import axe_playwright_python
from playwright.sync_api import BrowserContext, ConsoleMessage, Page

from waiting import until

AXE = next(Path(axe_playwright_python.__file__).parent.glob("axe.min.js")).read_text()
AXE_OPTIONS = {
    "resultTypes": ["violations"],
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
}
# Of all that axe looks for, only this depends on the colours in force.
IN_THE_DARK = {"resultTypes": ["violations"], "runOnly": {"type": "rule", "values": ["color-contrast"]}}
PHONE = {"width": 390, "height": 844}


def listen(context: BrowserContext, complaints: list[str]) -> None:
    """Notes every error that a page writes to the browser's console, refusals of its security policy included."""

    def note(message: ConsoleMessage) -> None:
        address = message.location.get("url", "")
        if message.type == "error" and not _is_an_answer(message.text, address):
            complaints.append(f"{address}: {message.text}")

    context.on("console", note)
    context.on("weberror", lambda error: complaints.append(f"{error.page and error.page.url}: {error.error}"))


def faults(page: Page) -> list[str]:
    """What is wrong with the page as it stands: it scrolls sideways, or axe finds anything at all."""
    return overhang(page) + barriers(page) + twins(page)


def faults_in_every_look(
    page: Page, keep: Callable[[str], None] = lambda look: None, *, is_known: bool = False
) -> list[str]:
    """What is wrong with the page in light, in dark and on a phone. `keep` is called in each look.

    Of a page like another that was looked at before (`is_known`), only what its own content may do: stick out.
    """
    # Before its style sheet has come, every button is too small; a page that leaves at once never says that it has loaded.
    until(lambda: page.evaluate("[...document.querySelectorAll('link[rel=stylesheet]')].every((link) => link.sheet)"))
    window = page.viewport_size
    keep("light")
    found = overhang(page) + twins(page) if is_known else faults(page)
    page.emulate_media(color_scheme="dark")
    keep("dark")
    found += [] if is_known else barriers(page, IN_THE_DARK)
    page.emulate_media(color_scheme="light")
    page.set_viewport_size(PHONE)
    keep("phone")
    found += overhang(page)
    page.set_viewport_size(window)
    return found


def overhang(page: Page) -> list[str]:
    pixels = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    return [f"{page.url} is {pixels} px wider than a window of {page.viewport_size['width']}"] if pixels > 0 else []


def barriers(page: Page, options: dict = AXE_OPTIONS) -> list[str]:
    """What axe finds: contrast, names, roles, order of headings."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    # A colour on its way from one theme to the other is nobody's colour.
    page.evaluate("Promise.allSettled(document.getAnimations().map((animation) => animation.finished))")
    found = []
    for violation in page.evaluate("(options) => axe.run(options)", options)["violations"]:
        where = "; ".join(node["html"][:160] for node in violation["nodes"][:3])
        found.append(f"{page.url}: {violation['id']}, {violation['help']}: {where}")
    return found


def twins(page: Page) -> list[str]:
    """Elements of one id: a label would lead to the wrong one."""
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map((element) => element.id)")
    return [f"{page.url}: {id} is there twice" for id in sorted({id for id in ids if ids.count(id) > 1})]


def _is_an_answer(text: str, address: str) -> bool:
    """Chromium reports each page of ours with a status of 4xx, which the tests judge by themselves."""
    return text.startswith("Failed to load resource: the server responded") and "/assets/" not in address
