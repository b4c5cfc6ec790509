"""A person at an app that signs its people in through Pippin."""

from playwright.sync_api import Page, expect

import hosted
from cast import Person
from sample_app import SampleApp


def start_sign_in(page: Page, app: SampleApp) -> None:
    page.goto(app.url)
    page.get_by_role("link", name="Sign in with Apple").click()


def expect_signed_in(page: Page, app: SampleApp) -> None:
    page.wait_for_url(f"{app.url}/profile")
    expect(page.get_by_role("heading", name="Signed in")).to_be_visible()


def sign_in_for_the_first_time(page: Page, app: SampleApp, person: Person) -> None:
    start_sign_in(page, app)
    hosted.prove(page, person)
    hosted.expect_consent_sheet(page)
    hosted.share_email(page)
    hosted.press_continue(page)
    expect_signed_in(page, app)
