"""A sign-in by way of Apple in Firefox and WebKit, over https: three sites, whose cookies each browser guards in its own way.

Apple's answer is a cross-site POST, to which no browser adds a Lax cookie. Pippin answers 303, and the GET that follows
has it.
"""

from collections.abc import Iterator

import pytest

import logs
from other_browsers import Browser, Firefox, Front, WebKit
from server import Pippin


@pytest.fixture(scope="module")
def front(secrets: set[str]) -> Iterator[Front]:
    with Pippin.running("--demo", "--simulate-apple") as server, Front(server).running() as front:
        yield front
        server.stop()
        assert logs.leaks([server.log, *server.data.rglob("*.log")], secrets) == []


@pytest.mark.parametrize(("browser", "person"), [(Firefox, "Rita Regular"), (WebKit, "Mina Managed")])
def test_a_person_signs_in_at_apple(browser: type[Browser], person: str, front: Front):
    with browser.running() as window:
        for greeting in (f"Hello {person.split()[0]}", "Hello"):
            window.go(f"https://127.0.0.1:{front.outer}/demo")
            window.press("Sign in with Pippin")
            window.press("Continue with Apple")
            window.heading("Sign in to")
            window.press(person)
            window.heading(greeting)
