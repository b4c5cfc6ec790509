"""Looks at pages as a careful reviewer does: what the browser complains of, what sticks out, what axe finds."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import BrowserContext, ConsoleMessage, Page

AXE_OPTIONS = {
    "resultTypes": ["violations"],
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
}
SERIOUS = {"serious", "critical"}


def listen(context: BrowserContext, complaints: list[str]) -> None:
    """Notes every error that a page writes to the browser's console, refusals of its security policy included."""

    def note(message: ConsoleMessage) -> None:
        address = message.location.get("url", "")
        if message.type == "error" and not _is_an_answer(message.text, address):
            complaints.append(f"{address}: {message.text}")

    context.on("console", note)
    context.on("weberror", lambda error: complaints.append(f"{error.page and error.page.url}: {error.error}"))


def faults(page: Page) -> list[str]:
    """What is wrong with the page as it stands: it scrolls sideways, or axe calls something serious."""
    return overhang(page) + barriers(page)


def overhang(page: Page) -> list[str]:
    pixels = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    return [f"{page.url} is {pixels} px wider than the window"] if pixels > 0 else []


def barriers(page: Page) -> list[str]:
    """What axe calls serious or worse: contrast, names, roles, order of headings."""
    found = []
    for violation in Axe().run(page, options=AXE_OPTIONS).response["violations"]:
        if violation["impact"] in SERIOUS:
            where = "; ".join(node["html"][:160] for node in violation["nodes"][:3])
            found.append(f"{page.url}: {violation['id']}, {violation['help']}: {where}")
    return found


def _is_an_answer(text: str, address: str) -> bool:
    """Chromium reports each page of ours with a status of 4xx, which the tests judge by themselves."""
    return text.startswith("Failed to load resource: the server responded") and "/assets/" not in address
