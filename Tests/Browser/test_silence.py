"""Servers outside that take what they are asked and say nothing: the pages come meanwhile, on every loop.

The mail server is in test_mail.py.
"""

import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress

import pytest

from backend import Backend, Visitor
from cast import PEOPLE, Acme
from database import rows
from processes import Host
from waiting import until

# How far a conversation goes before the server is silent: not even begun, asked, half answered; and of a proxy that has made a
# tunnel, asked for TLS.
STEPS = ("connect", "request", "body", "tunnel")
ROUNDS = 12


class Silence:
    """Whoever takes a datagram or a connection on 127.0.0.1, goes as far as it is told, and holds it there."""

    def __init__(self, kind: socket.SocketKind = socket.SOCK_STREAM):
        self.step = "connect"
        self.held = 0
        self._may_go_on = threading.Event()
        self._socket = socket.socket(socket.AF_INET, kind)
        self._socket.bind(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        serve = self._serve if kind == socket.SOCK_STREAM else self._take_datagrams
        if kind == socket.SOCK_STREAM:
            self._socket.listen(64)
        threading.Thread(target=serve, daemon=True).start()

    def be_silent_at(self, step: str) -> None:
        self.held = 0
        self._may_go_on.clear()
        self.step = step

    def wait_until_held(self) -> None:
        until(lambda: self.held, lambda: f"nobody was held at {self.step}")

    def go_on(self) -> None:
        """Ends what it holds."""
        self._may_go_on.set()

    def close(self) -> None:
        self.go_on()
        # A thread that waits in accept(2) is not ended by close(2).
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _take_datagrams(self) -> None:
        with suppress(OSError):
            while self._socket.recv(4096):
                self.held += 1

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._socket.accept()
                threading.Thread(target=self._hold, args=(client,), daemon=True).start()

    def _hold(self, client: socket.socket) -> None:
        with client, suppress(OSError):
            if self.step != "connect":
                self._read_head(client)
            if self.step == "body":
                client.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 1000\r\n\r\nhalf")
            if self.step == "tunnel":
                client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
                assert client.recv(1)
            self.held += 1
            self._may_go_on.wait()

    @staticmethod
    def _read_head(client: socket.socket) -> None:
        head = b""
        while b"\r\n\r\n" not in head:
            piece = client.recv(4096)
            assert piece
            head += piece


@pytest.fixture
def silences() -> Iterator[dict[str, Silence]]:
    silences = {"site": Silence(), "proxy": Silence(), "names": Silence(socket.SOCK_DGRAM)}
    yield silences
    for silence in silences.values():
        silence.close()


@pytest.fixture
def team(silences: dict[str, Silence]) -> Acme:
    return Acme(return_url=f"http://127.0.0.1:{silences['site'].port}/callback")


@pytest.fixture
def host(silences: dict[str, Silence], team: Acme) -> Iterator[Host]:
    registry = team.registry()
    acme = registry["teams"][0]
    acme["appIDs"][0]["notificationURL"] = f"http://127.0.0.1:{silences['site'].port}/notifications"
    acme["appIDs"][0]["serviceIDs"][0]["domains"].append("acme.example")
    acme["emailSources"] = [{"domain": "acme.example"}]
    options = ("--outgoing-proxy", f"http://127.0.0.1:{silences['proxy'].port}",
               "--dns-server", f"127.0.0.1:{silences['names'].port}")
    with Host.running(*options) as host:
        host.apply(registry)
        rows(host, "UPDATE domains SET check_due_at = 'infinity'; UPDATE email_sources SET check_due_at = 'infinity'")
        yield host


def check(host: Host, what: str) -> None:
    """Has the job that checks what teams have registered look at one thing now."""
    rows(host, f"UPDATE {what}; UPDATE jobs SET due_at = now() WHERE kind = 'registry.check'")


def notify(host: Host, team: Acme, count: Iterator) -> None:
    """Has an app told something: that a person has stopped using it."""
    backend = Backend(host.url, host.url, team)
    tokens = backend.redeem(Visitor(host.url, team).sign_in(next(count))).json()
    assert backend.revoke(tokens["refresh_token"]).status_code == 200


def pages_come(host: Host, team: Acme) -> None:
    """Each by a connection of its own, so that each loop has some."""
    for _ in range(ROUNDS):
        assert host.get("/healthz").status_code == 200
        assert "password" in Visitor(host.url, team).authorize()


def test_no_page_waits_for_a_server_outside_that_is_silent(host: Host, team: Acme, silences: dict[str, Silence]):
    """V88: whatever it does not answer, all pages come while it is silent."""
    people = iter(PEOPLE)
    due: dict[str, Callable[[], None]] = {
        "names": lambda: check(host, "email_sources SET check_due_at = now()"),
        "domain": lambda: check(host, "domains SET check_due_at = now() WHERE domain = '127.0.0.1'"),
        "notification": lambda: notify(host, team, people),
        "proxy": lambda: check(host, "domains SET check_due_at = now() WHERE domain = 'acme.example'"),
    }
    cases = [("names", "connect")] + [(kind, step) for kind in ("domain", "notification") for step in STEPS[:3]]
    cases += [("proxy", step) for step in ("connect", "request", "tunnel")]
    for kind, step in cases:
        silence = silences.get(kind, silences["site"])
        silence.be_silent_at(step)
        due[kind]()
        silence.wait_until_held()
        pages_come(host, team)
        silence.go_on()
        host.wait_until(lambda: not rows(host, "SELECT 1 FROM jobs WHERE kind = 'registry.check' AND worker IS NOT NULL"))
    host.stop()


def test_pages_come_while_one_connection_to_the_database_is_silent(host: Host, team: Acme):
    """V88: a session that hangs holds up what it has, and nobody else."""
    query = "SELECT pid FROM pg_stat_activity WHERE application_name = 'pippin' AND state = 'idle' ORDER BY backend_start LIMIT 4"
    for [process] in rows(host, query):
        os.kill(int(process), signal.SIGSTOP)
        asked: list[Future] = []
        with ThreadPoolExecutor(64) as threads:
            def answered() -> int:
                if len(asked) < 64:
                    asked.append(threads.submit(Visitor(host.url, team).authorize))
                return sum(page.done() for page in asked)

            try:
                assert host.get("/healthz").status_code == 200
                until(lambda: answered() >= ROUNDS, lambda: f"{answered()} of {len(asked)} pages came")
            finally:
                os.kill(int(process), signal.SIGCONT)
        assert all("password" in page.result() for page in asked)
    host.stop()
