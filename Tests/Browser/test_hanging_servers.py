"""Servers that a team names, take connections and never answer: they hold up no call to Apple."""

import re
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests
from playwright.sync_api import Page

from cast import Acme
from console import Console, set_up
from test_kills import SECONDS, App, Victim

HOSTS = [f"s{number}.localhost" for number in range(5)]
TEAM = Acme(return_url="http://127.0.0.1:9000/callback")
CONNECTIONS = 64


@pytest.fixture
def server() -> Iterator[Victim]:
    with Victim.running("--demo", "--simulate-apple") as server:
        yield server
        server.stop()


class Silence:
    """Takes connections, and says nothing."""

    def __init__(self) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port = self.listener.getsockname()[1]
        self.held: list[socket.socket] = []
        threading.Thread(target=self._take, daemon=True).start()

    def _take(self) -> None:
        try:
            while True:
                self.held.append(self.listener.accept()[0])
        except OSError:
            pass

    def end(self) -> None:
        # Closing alone would not wake the thread that waits in accept.
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for connection in self.held:
            connection.close()


@pytest.fixture
def silence() -> Iterator[Silence]:
    silence = Silence()
    yield silence
    silence.end()


def register(server: Victim, silence: Silence, console: Console) -> None:
    """Team Acme with a domain for each host, and the console's operator as its developer."""
    registry = TEAM.registry()
    service = registry["teams"][0]["appIDs"][0]["serviceIDs"][0]
    service |= {"domains": HOSTS, "returnURLs": [f"http://{host}:{silence.port}/back" for host in HOSTS]}
    server.apply(registry)
    server.ask(f"""
        INSERT INTO memberships (team_id, sub, role)
        SELECT '{TEAM.id}', sub, 'developer' FROM login_names WHERE login = '{console.email}'
    """)


def test_servers_that_never_answer_hold_up_nobody_at_apple(server: Victim, silence: Silence, page: Page):
    console = set_up(page, server)
    register(server, silence, console)
    cookies = {cookie["name"]: cookie["value"] for cookie in console.storage_state["cookies"]}
    base = f"{server.url}/console/{TEAM.id}/domains"
    form = requests.get(f"{base}/{HOSTS[0]}", cookies=cookies, timeout=SECONDS)
    [csrf] = set(re.findall(r'name="csrf" value="([^"]+)"', form.text))
    app = App(server, has_token=True)
    app.ask_apple()

    def check(host: str) -> int:
        answer = requests.post(
            f"{base}/{host}/checks", {"csrf": csrf}, cookies=cookies, headers={"Origin": server.url},
            allow_redirects=False, timeout=SECONDS,
        )
        return answer.status_code

    def check_beyond_the_limit(host: str) -> int:
        """As many teams together would."""
        server.ask("DELETE FROM limits WHERE subject LIKE 'registry-check%'")
        return check(host)

    with ThreadPoolExecutor(200) as pool:
        alone = [pool.submit(check, HOSTS[number % 5]) for number in range(40)]
        assert sum(status.result() == 303 for status in alone) == 16
        assert len(silence.held) <= 16

        checks = [pool.submit(check_beyond_the_limit, HOSTS[number % 5]) for number in range(200)]
        deadline = time.monotonic() + 15
        while len(silence.held) - 16 < CONNECTIONS:
            assert time.monotonic() < deadline, f"{len(silence.held)} connections, no more"
            time.sleep(0.01)

        begin = time.monotonic()
        answer = app.hand_over()

        took = time.monotonic() - begin
        assert answer.status_code == 200, answer.text
        assert took < 8, f"it took {took:.1f} s"
        print(f"{len(silence.held)} connections held, Apple's code redeemed in {took:.2f} s")
    assert {status.result() for status in checks} <= {303, 429}
