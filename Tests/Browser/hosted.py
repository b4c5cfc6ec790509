"""A person in front of the hosted sign-in pages: finds things as people do, by label and by button."""

import re

from playwright.sync_api import Page, expect

from cast import Person

CONTINUE = re.compile(r"^(continue|sign in|next)\b", re.IGNORECASE)
CANCEL = re.compile(r"^cancel$", re.IGNORECASE)
HIDE = re.compile(r"^hide my e-?mail", re.IGNORECASE)
SHARE = re.compile(r"^share my e-?mail", re.IGNORECASE)


def prove(page: Page, person: Person) -> None:
    """Identifies and proves, on one page or two."""
    page.locator('input[autocomplete~="username"]').fill(person.email)
    password = page.locator('input[autocomplete="current-password"]')
    if not password.is_visible():
        press_continue(page)
    password.fill(person.password)
    press_continue(page)


def press_continue(page: Page) -> None:
    page.get_by_role("button", name=CONTINUE).first.click()


def cancel(page: Page) -> None:
    page.get_by_role("button", name=CANCEL).or_(page.get_by_role("link", name=CANCEL)).first.click()


def expect_consent_sheet(page: Page) -> None:
    expect(page.get_by_role("radio", name=SHARE)).to_be_visible()
    expect(page.get_by_role("radio", name=HIDE)).to_be_visible()


def expect_sheet(page: Page) -> None:
    """What comes once somebody has proved who they are: the consent sheet or the confirmation, as a whole."""
    expect(page.locator('input[autocomplete="current-password"]')).to_have_count(0)
    expect(page.get_by_role("button", name=CONTINUE).first).to_be_visible()


def expect_confirmation(page: Page) -> None:
    """The short page of every later sign-in: nothing to decide, one button to go on."""
    expect(page.get_by_role("button", name=re.compile(r"^continue\b", re.IGNORECASE))).to_be_visible()
    expect(page.get_by_role("radio")).to_have_count(0)
    expect(page.locator('input[autocomplete="current-password"]')).to_have_count(0)


def share_email(page: Page) -> None:
    page.get_by_role("radio", name=SHARE).check()


def hide_email(page: Page) -> None:
    page.get_by_role("radio", name=HIDE).check()


def rename(page: Page, given_name: str, family_name: str) -> None:
    page.locator('input[autocomplete="given-name"]').fill(given_name)
    page.locator('input[autocomplete="family-name"]').fill(family_name)
