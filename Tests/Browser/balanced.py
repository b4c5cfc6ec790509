"""Several nodes behind HAProxy, and people who sign in there meanwhile."""

import itertools
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests

import database
from processes import APP, TEAM, Host
from server import ROOT, Pippin, free_port, new_folder
from waiting import SECONDS, until

# What the sign-ins of a test come to.
MANY = 1_000
CLIENTS = 4
PEOPLE = ("regular", "hidden", "managed", "child")

needs_haproxy = pytest.mark.skipif(shutil.which("haproxy") is None, reason="needs Debian's haproxy")


class Node(Host):
    """One of several behind a load balancer."""

    balancer = 0

    def replace(self, release: Path) -> None:
        """Ends it as an upgrade does, and starts another release in its place."""
        self.stop()
        self.release = release
        self.start()

    def ask(self, release: Path, *arguments: str) -> str:
        """What a command of a release says about the database, which the last options name."""
        mine, self.release = self.release, release
        try:
            return self.command(*arguments, *self.options[-4:])
        finally:
            self.release = mine

    @property
    def url(self) -> str:
        return f"http://localhost:{self.balancer}"

    def is_up(self) -> bool:
        return requests.get(f"http://127.0.0.1:{self.port}/readyz", timeout=SECONDS).status_code == 200


class Balancer:
    """HAProxy that tries nothing twice, as a client would see it."""

    def __init__(self, folder: Path, port: int, nodes: list[Node]):
        self.port, self.status = port, free_port()
        servers = "\n".join(
            f"    server node{node.port} 127.0.0.1:{node.port} check inter 500ms fall 1 rise 1" for node in nodes
        )
        file = folder / "haproxy.cfg"
        file.write_text(f"""
defaults
    mode http
    retries 0
    timeout connect 5s
    timeout client 60s
    timeout server 60s
listen pippin
    bind 127.0.0.1:{port}
    balance roundrobin
    option httpchk GET /readyz
{servers}
listen status
    bind 127.0.0.1:{self.status}
    stats enable
    stats uri /
""")
        self.log = (folder / "haproxy.log").open("wb")
        self.process = subprocess.Popen(["haproxy", "-db", "-f", file], stdout=self.log, stderr=self.log)

    def is_up(self, node: Node) -> bool:
        """Whether it sends requests to the node."""
        try:
            text = requests.get(f"http://127.0.0.1:{self.status}/;csv", timeout=SECONDS).text
        except requests.ConnectionError:
            return False
        return any(f",node{node.port}," in line and ",UP," in line for line in text.splitlines())

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(SECONDS)
        self.log.close()


class SignIns:
    """People who sign in at the demo's app, through the load balancer, until they are told to end."""

    def __init__(self, url: str):
        self.url = url
        self.good, self.failed = 0, []
        # What the apps hold: a refresh token is used once.
        self.tokens: list[dict] = []
        self._number = itertools.count()
        self._isDone = threading.Event()
        self._threads = [threading.Thread(target=self._run, daemon=True) for _ in range(CLIENTS)]
        for thread in self._threads:
            thread.start()

    def _run(self) -> None:
        while not self._isDone.is_set():
            number = next(self._number)
            session = requests.Session()
            session.headers["X-Forwarded-For"] = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
            try:
                given = self._ask(session, "/apple/device", {"client_id": APP, "person": PEOPLE[number % len(PEOPLE)]})
                tokens = self._ask(session, f"{TEAM}/auth/native", given)
                refresh = {"client_id": APP, "grant_type": "refresh_token", "refresh_token": tokens["refresh_token"]}
                self.tokens.append(self._ask(session, f"{TEAM}/auth/token", refresh))
                self.good += 1
            except Exception as error:  # noqa: BLE001
                self.failed.append(str(error))

    def _ask(self, session: requests.Session, path: str, fields: dict) -> dict:
        answer = session.post(self.url + path, fields, timeout=SECONDS)
        assert answer.status_code == 200, f"{path}: {answer.status_code} {answer.text[:200]}"
        return answer.json()

    def finish(self) -> None:
        self._isDone.set()
        for thread in self._threads:
            thread.join(SECONDS)


@contextmanager
def balanced(drain: int, release: Path = ROOT) -> Iterator[tuple[Balancer, list[Node]]]:
    """Three nodes of a release with one database behind a load balancer."""
    folder = new_folder("balanced-")
    port = free_port()
    with Pippin.running() as house:
        database.rows(house, "CREATE DATABASE balanced")
        place = f"host={house.data / 'socket'} user=pippin dbname=balanced"
        key = str(house.data / "master-key")
        nodes = []
        balancer = None
        try:
            for number in range(3):
                node = Node(folder / str(number), (
                    "--demo", "--simulate-apple", "--drain", str(drain), "--trusted-proxy", "127.0.0.1",
                    "--database", place, "--master-key", key))
                node.folder.mkdir()
                node.release = release
                # The demo's key is one.
                node.data = folder / "data"
                node.data.mkdir(exist_ok=True)
                node.balancer = port
                nodes.append(node)
                node.start()
            balancer = Balancer(folder, port, nodes)
            until(lambda: all(balancer.is_up(node) for node in nodes))
            yield balancer, nodes
        finally:
            for node in nodes:
                if node.process is not None:
                    node.process.kill()
                    node.process.wait()
            if balancer is not None:
                balancer.stop()
            house.stop()
            shutil.rmtree(folder, ignore_errors=True)
