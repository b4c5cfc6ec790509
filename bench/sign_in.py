"""Signs people in as browsers do, a few at a time: the page, the password, the confirmation, the code, the token."""

import html
import http.client
import re
import statistics
import threading
import time
import urllib.parse
from collections.abc import Callable

from acme import PASSWORD
from generator import Run

FORM = {"Content-Type": "application/x-www-form-urlencoded"}


class SignIns:
    """One thread for each of `people`, who signs in with a new browser again and again."""

    def __init__(self, people: list[str], authorize: Callable[[str], str], token_path: str, token_form: str):
        self.people = people
        self.authorize = authorize
        self.token_path = token_path
        self.token_form = token_form

    def drive(self, url: str, seconds: int) -> Run:
        address = urllib.parse.urlsplit(url).netloc
        end = time.monotonic() + seconds
        times: list[float] = []
        failures: list[str] = []

        def work(number: int, email: str) -> None:
            turn = 0
            while time.monotonic() < end:
                turn += 1
                begin = time.monotonic()
                try:
                    self._sign_in(_Browser(address, f"10.{number}.{turn >> 8 & 255}.{turn & 255}"), email)
                    times.append(time.monotonic() - begin)
                except (OSError, http.client.HTTPException, _Unexpected) as problem:
                    failures.append(str(problem))

        threads = [threading.Thread(target=work, args=pair) for pair in enumerate(self.people)]
        begin = time.monotonic()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if not times:
            raise RuntimeError(f"nobody could sign in: {failures[0] if failures else 'no time'}")
        times.sort()
        p99 = times[min(len(times) - 1, len(times) * 99 // 100)]
        return Run(len(times) / (time.monotonic() - begin), statistics.median(times) * 1000, p99 * 1000, len(failures))

    def _sign_in(self, browser: "_Browser", email: str) -> None:
        page = browser.get(self.authorize("s"))
        step = browser.submit(page, email=email, password=PASSWORD, decision="continue")
        page = browser.get(step)
        page = browser.submit(page, email_choice="share", decision="continue")
        code = re.search(r'name="code" value="([^"]+)"', page)
        if not code:
            raise _Unexpected("no code came back")
        browser.send("POST", self.token_path, self.token_form + code.group(1))
        browser.connection.close()


class _Unexpected(Exception):
    """An answer that ends a sign-in before its token."""


class _Browser:
    """A browser with a cookie jar and one connection, behind an address of its own."""

    def __init__(self, address: str, client: str):
        self.connection = http.client.HTTPConnection(address, timeout=10)
        self.client = client
        self.cookies: dict[str, str] = {}

    def get(self, path: str) -> str:
        return self.send("GET", path)

    def submit(self, page: str, **typed: str) -> str:
        """Sends the form of `page` with what was typed; returns the next page, or the address it is at."""
        action = re.search(r'<form method="post" action="([^"]+)"', page)
        kept = re.findall(r'<input[^>]*name="([^"]+)"[^>]* value="([^"]*)"', page)
        if not action:
            raise _Unexpected("a page without a form")
        fields = {name: html.unescape(value) for name, value in kept} | typed
        return self.send("POST", html.unescape(action.group(1)), urllib.parse.urlencode(fields))

    def send(self, method: str, path: str, body: str | None = None) -> str:
        fields = {"X-Forwarded-For": self.client}
        if body is not None:
            fields |= FORM
        if self.cookies:
            fields["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        self.connection.request(method, path, body, fields)
        answer = self.connection.getresponse()
        text = answer.read().decode()
        if answer.status >= 400:
            raise _Unexpected(f"{method} {path.partition('?')[0]} answered {answer.status}: {text[:200]}")
        for cookie in answer.headers.get_all("Set-Cookie", []):
            name, _, value = cookie.partition(";")[0].partition("=")
            self.cookies[name] = value
        return answer.headers["Location"] if answer.status in (302, 303) else text
