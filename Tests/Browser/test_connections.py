"""More clients than there is room for: others are served, nothing is taken for dead, and memory is given back."""

import os
import resource
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
import requests

import database
import logs
from server import ROOT, Pippin, binary, free_port, new_folder
from waiting import SECONDS, until

pytestmark = pytest.mark.long
LIMIT = 1024
HALF_HEAD = b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Half: "
UPLOAD = "/console/DEMOTEAM01/settings/logo"
# What a logo's form may be long: a stranger cannot know that it will not be read.
LENGTH = 270_000
MEGABYTE = 1 << 20


def descriptors(pid: int) -> tuple[int, int]:
    """The soft and the hard limit of a process."""
    [line] = [line for line in Path(f"/proc/{pid}/limits").read_text().splitlines() if line.startswith("Max open files")]
    soft, hard = line.split()[3:5]
    return int(soft), int(hard)


def limit(pid: int, soft: int, hard: int) -> None:
    """Sets the limits as the user who serves: another's limits may be out of reach even for root."""
    lines = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    user, group = (int(lines[name].split()[0]) for name in ("Uid", "Gid"))
    subprocess.run(
        ["prlimit", f"--pid={pid}", f"--nofile={soft}:{hard}"], check=True,
        **({"user": user, "group": group, "extra_groups": []} if os.getuid() == 0 else {}),
    )


class Crowded(Pippin):
    """A Pippin among too many clients."""

    @property
    def worker(self) -> int:
        """The process that serves."""
        [[pid]] = database.until(self, "SELECT heartbeat->>'pid' FROM heartbeats")
        return int(pid)

    def events(self, name: str) -> list[dict]:
        return logs.events(self.log, name)

    def answers(self, seconds: float = SECONDS) -> bool:
        """Whether a client from another address is served."""
        with suppress(requests.RequestException):
            return requests.get(f"http://127.0.0.1:{self.port}/readyz", timeout=seconds).status_code == 200
        return False

    def memory(self) -> int:
        """Resident octets."""
        words = Path(f"/proc/{self.worker}/statm").read_text().split()
        return int(words[1]) * resource.getpagesize()

    def connect(self, address: str) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=SECONDS, source_address=(address, 0))


@contextmanager
def crowded(descriptors: int | None = None, *options: str) -> Iterator[Crowded]:
    with Crowded.running(*options, descriptors=descriptors) as server:
        yield server
        server.stop()


@pytest.fixture(autouse=True)
def many_descriptors() -> None:
    """The clients of a test need descriptors too."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that the user who serves may enter."""
    folder = new_folder("renewal-")
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def test_half_open_heads_from_one_address_leave_room_for_others():
    """S9, V44: 2,000 of them at a limit of 1,024 descriptors."""
    with crowded(LIMIT) as server:
        worker, held = server.worker, []
        for _ in range(2000):
            with suppress(OSError):
                client = server.connect("127.0.0.2")
                held.append(client)
                client.sendall(HALF_HEAD)
        for _ in range(20):
            assert server.answers()
        assert server.worker == worker
        assert server.events("database.died") == []

        until(lambda: server.events("connections.refused") != [])
        [told, *_] = server.events("connections.refused")
        assert told["cause"] == "address" and told["address"] == "127.0.0.2"
        database.until(server, """
            SELECT 1 FROM heartbeats, jsonb_to_record(heartbeat->'connections')
                AS connections (refused int, "limit" int, "descriptorLimit" int, descriptors int)
            WHERE refused > 100 AND "limit" < 1024 AND "descriptorLimit" = 1024 AND descriptors BETWEEN 20 AND 1024
        """)
        for client in held:
            client.close()


def test_clients_that_leave_fill_no_log():
    """V44: who goes before the answer is worth no line unless every line is asked for."""
    with crowded() as server:
        for _ in range(50):
            client = server.connect("127.0.0.1")
            client.sendall(b"POST /setup/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n")
            client.close()
        assert server.answers()
        until(lambda: sum(line["status"] == "0" for line in server.events("request")) == 50)
        assert [line for line in server.events("request") if line["level"] != "debug" and line["status"] == "0"] == []


def test_slow_clients_fill_no_log():
    """V44: who leaves late, or takes long to send a body, is slow and not the server."""
    with crowded() as server:
        clients = [server.connect("127.0.0.1") for _ in range(20)]
        for client in clients:
            client.sendall(
                b"POST /setup/x HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n"
                b"Content-Length: 10\r\n\r\n"
            )
        assert server.answers()
        # From when on a request is slow.
        time.sleep(1.2)
        for number, client in enumerate(clients):
            if number % 2:
                client.sendall(b"0123456789")
                assert client.recv(9) == b"HTTP/1.1 "
            client.close()

        def told() -> list[dict]:
            return [line for line in server.events("request") if line["route"].startswith("/setup")]

        until(lambda: len(told()) == 20)
        assert sum(int(line["milliseconds"]) > 1000 for line in told()) == 20
        assert sum(line["status"] == "0" for line in told()) == 10
        assert [line for line in told() if line["level"] != "debug"] == []


def test_the_private_database_has_room_for_the_server():
    """V44: for every connection that two workers and a command may open, while one takes the other's place."""
    with crowded() as server:
        [[most]] = database.rows(server, "SHOW max_connections")
        opened = sum((6 + 4 + 2, 2 + 1 + 2))
        assert int(most) >= 3 * opened * os.sysconf("SC_NPROCESSORS_ONLN")


def test_after_it_had_no_descriptor_left_the_server_goes_on():
    """S9, V44: nothing is taken for dead meanwhile, and nobody has to wake it."""
    with crowded(LIMIT) as server:
        worker, idle = server.worker, server.connect("127.0.0.1")
        idle.sendall(HALF_HEAD)
        assert server.answers()
        _, hard = descriptors(worker)
        limit(worker, 3, hard)
        waiting = [server.connect("127.0.0.1") for _ in range(20)]
        # The heartbeat tells that connections wait for a descriptor.
        until(lambda: any(told["cause"] == "descriptors" for told in server.events("connections.refused")))
        limit(worker, hard, hard)

        until(server.answers)
        assert server.worker == worker
        assert server.events("database.died") == []
        for client in [idle, *waiting]:
            client.close()


def test_bodies_of_strangers_are_bounded_and_memory_is_given_back():
    """S33, V55: 1,500 bodies of 270 KB, all but their last octet."""
    with crowded(None, "--demo", "--connections-per-address", "0") as server:
        for _ in range(50):
            assert server.answers()
        quiet = server.memory()
        head = (
            f"POST {UPLOAD} HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=x\r\n"
            f"Content-Length: {LENGTH}\r\n\r\n"
        ).encode()
        begun = []
        for number in range(1500):
            client = server.connect(f"127.0.0.{2 + number % 100}")
            begun.append(client)
            with suppress(OSError):
                client.sendall(head + b"x" * (LENGTH - 1))
            if number % 500 == 499:
                assert server.answers()
        busy = server.memory()
        assert busy - quiet < 150 * MEGABYTE, f"{quiet >> 20} MB became {busy >> 20} MB"
        for client in begun:
            client.close()
        until(lambda: server.memory() - quiet < 60 * MEGABYTE)


def test_a_renewed_certificate_is_served_without_a_restart(place: Path):
    """S44: both files change, and the next connection gets the new one."""
    files = [place / "certificate.pem", place / "key.pem"]

    def make(name: str) -> None:
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
             "-subj", f"/CN={name}", "-days", "2", "-out", files[0], "-keyout", files[1]],
            check=True, capture_output=True,
        )
        # What serves has given up the rights of root, and looks at the files anew.
        files[1].chmod(0o644)

    def served(port: int) -> str:
        done = subprocess.run(
            ["openssl", "s_client", "-connect", f"127.0.0.1:{port}"], stdin=subprocess.DEVNULL, capture_output=True,
            text=True, timeout=SECONDS,
        )
        return done.stdout

    make("first.test")
    port = free_port()
    with (place / "log").open("wb") as log:
        process = subprocess.Popen(
            [binary(), "serve", "--listen", f"127.0.0.1:{port}", "--public-url", f"https://localhost:{port}",
             "--data", place / "data", "--resources", ROOT, "--tls-cert", files[0], "--tls-key", files[1]],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log,
        )
    try:
        until(lambda: "first.test" in served(port))
        make("second.test")
        until(lambda: "second.test" in served(port))
        assert process.poll() is None
    finally:
        process.terminate()
        process.wait(SECONDS)
