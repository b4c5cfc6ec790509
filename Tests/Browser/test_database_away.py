"""PostgreSQL goes away under a running Pippin: what was acknowledged is kept, people read what to do, everything goes on by
itself, and Ctrl-C ends it whatever state the database is in.
"""

import os
import shutil
import signal
import socket
import subprocess
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

import pytest
import requests

import database
import logs
from console import SYSTEM_TEAM
from database_proxy import DatabaseProxy
from processes import TEAM, Host, Writer, psql, refreshed, stop_orphan
from server import Pippin, new_folder
from waiting import SECONDS, until

# What a stop leaves to requests under way (ServerProcess.timeout): Ctrl-C waits for none that the database holds up.
STOP_SECONDS = 20
# What a statement waits for a database that went away (DatabaseConfiguration.outage), and not for one that stays away.
OUTAGE_SECONDS = 3

pytestmark = pytest.mark.long


class House(Host):
    """One whose PostgreSQL may be spoilt."""

    @property
    def settings(self) -> Path:
        return self.data / "postgres/postgresql.conf"

    def spoil(self) -> None:
        """From now on PostgreSQL does not start."""
        with self.settings.open("a") as file:
            file.write("\nshared_buffers = plenty\n")

    def repair(self) -> None:
        text = self.settings.read_text()
        self.settings.write_text(text.replace("\nshared_buffers = plenty\n", "\n"))


def press_ctrl_c(host: Host, wanted: int = 0) -> float:
    """Seconds until Pippin has ended, with that status."""
    process, host.process = host.process, None
    begin = time.monotonic()
    process.send_signal(signal.SIGINT)
    try:
        status = process.wait(SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        raise
    assert status == wanted, host._last_words()
    return time.monotonic() - begin


def says_what_to_do(answer: requests.Response) -> bool:
    return (
        answer.status_code == 503 and int(answer.headers["Retry-After"]) > 0
        and "Temporarily unavailable" in answer.text and "Try again in a few seconds" in answer.text
    )


@pytest.fixture
def host(secrets: set[str]) -> Iterator[House]:
    with House.running("--demo", "--simulate-apple") as host:
        yield host
        if host.process is not None:
            host.stop()
        assert logs.leaks([host.log, *host.data.rglob("*.log")], secrets) == []
        told = [line for line in logs.not_json(host.log) if not line.startswith("pippin: ")]
        assert told == []


def test_a_killed_postgres_is_started_again_and_nothing_acknowledged_is_lost(host: Host, secrets: set[str]):
    writer = Writer(host)
    for death in (1, 2):
        host.wait_until(lambda: len(writer.acknowledged) >= 5 * death)
        before = host.postmaster
        host.kill_postgres()
        host.wait_until(lambda: len(host.events("database.started")) == death)
        host.wait_until(host.is_ready)
        assert host.postmaster != before
        known = len(writer.acknowledged)
        host.wait_until(lambda: len(writer.acknowledged) > known)
    writer.finish()
    secrets.update(writer.acknowledged)

    assert len(host.events("database.died")) == 2
    assert {answer.status_code for answer in writer.refused} <= {503}, [answer.text for answer in writer.refused]
    answers = [refreshed(host, token) for token in writer.acknowledged]
    assert [answer.text for answer in answers if answer.status_code != 200] == []
    secrets.update(answer.json()["refresh_token"] for answer in answers)
    # What runs beside the requests goes on as well: a beat every ten seconds.
    database.until(host, "SELECT 1 FROM heartbeats WHERE seen_at > now() - interval '5 seconds'", len)


def test_while_postgres_does_not_start_pages_say_so_until_it_does(host: Host):
    host.spoil()
    host.kill_postgres()
    host.wait_until(lambda: len(host.events("database.start_failed")) >= 2)

    host.wait_until(lambda: says_what_to_do(host.get(f"/t/{SYSTEM_TEAM}/account")))
    before = len(refusals(host))
    for _ in range(20):
        assert says_what_to_do(host.get(f"/t/{SYSTEM_TEAM}/account"))
    host.wait_until(lambda: len(refusals(host)) >= before + 20)
    assert max(refusals(host)[-20:]) < OUTAGE_SECONDS * 1000
    protocol = host.get(f"{TEAM}/.well-known/openid-configuration")
    assert (protocol.status_code, protocol.json()["error"]) == (503, "temporarily_unavailable")
    assert host.get("/healthz").status_code == 200
    ready = host.get("/readyz")
    assert (ready.status_code, ready.headers["Retry-After"]) == (503, "2")
    assert ready.text == "database_unreachable: The database cannot be reached.\n"
    host.wait_for("database.start_failed", 5)
    tries = host.events("database.start_failed")[:5]
    moments = [datetime.fromisoformat(line["time"]).timestamp() for line in tries]
    pauses = [later - earlier for earlier, later in zip(moments, moments[1:])]
    assert pauses[2] >= 1 and pauses[3] >= 2, "ever more rarely"
    assert "contains errors" in tries[0]["cause"]

    host.repair()
    host.wait_until(host.is_ready)
    assert host.get(f"{TEAM}/.well-known/openid-configuration").status_code == 200


def refusals(host: Host) -> list[int]:
    """How long each request took that was told to come again, in milliseconds."""
    return [int(line["milliseconds"]) for line in host.events("request") if line["status"] == "503"]


def dead(host: House) -> list[int]:
    """It is gone and does not come back. Returns the processes it had."""
    processes = processes_of_postgres(host)
    host.spoil()
    host.kill_postgres()
    host.wait_until(lambda: len(host.events("database.start_failed")) >= 1)
    return processes


def dying(host: Host) -> list[int]:
    """Nobody has noticed yet. Returns the processes it had."""
    processes = processes_of_postgres(host)
    host.kill_postgres()
    return processes


def processes_of_postgres(host: Host) -> list[int]:
    children = Path(f"/proc/{host.postmaster}/task/{host.postmaster}/children").read_text().split()
    return [host.postmaster, *map(int, children)]


def halted(host: Host) -> list[int]:
    """It is there, takes connections, and does nothing. Returns the processes that stand still."""
    host.wait_until(host.has_started)
    # The one that starts the others first: its autovacuum workers come and go.
    os.kill(host.postmaster, signal.SIGSTOP)
    processes = processes_of_postgres(host)
    for process in processes[1:]:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGSTOP)
    return processes


def is_waiting_for_postgres(host: Host) -> bool:
    """It takes no signal but when it asks, and has the one connection that every start begins with."""
    place = Path(f"/proc/{host.process.pid}")
    threads = {(thread / "comm").read_text().strip() for thread in place.glob("task/*")}
    with suppress(FileNotFoundError):
        files = [os.readlink(file) for file in place.glob("fd/*")]
        return "start-watch" in threads and any(file.startswith("socket:") for file in files)
    return False


def wake(processes: list[int]) -> None:
    for process in processes:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGCONT)


@pytest.mark.parametrize("fate", [dead, dying, halted], ids=lambda fate: fate.__name__)
def test_ctrl_c_ends_at_once_while_postgres_is(host: Host, fate: Callable[[Host], list[int]]):
    processes = fate(host)
    with asking(host):
        seconds = press_ctrl_c(host)

    wake(processes)
    assert seconds < STOP_SECONDS
    until(lambda: not any(Path(f"/proc/{process}/cwd").exists() for process in processes), lambda: "PostgreSQL is left")


def test_ctrl_c_ends_at_once_while_postgres_is_waited_for(host: Host):
    """A Pippin that was killed has left its PostgreSQL behind, and that does nothing."""
    host.wait_until(host.has_started)
    host.process.kill()
    host.process.wait()
    processes = halted(host)
    host.begin()
    host.wait_until(lambda: is_waiting_for_postgres(host))

    seconds = press_ctrl_c(host, wanted=1)

    wake(processes)
    assert seconds < STOP_SECONDS
    assert "stopped before" in host.log.read_text()
    # It was told to end; the next one waits for that.
    host.start()


def test_ctrl_c_ends_the_postgres_of_a_start_that_takes_long(host: Host):
    """Another one changes the table of migrations; nobody else uses the PostgreSQL."""
    host.process.kill()
    host.process.wait()
    holding = "BEGIN; LOCK TABLE pippin_migrations; SELECT 'held'"
    with subprocess.Popen(
        psql(host), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as other:
        other.stdin.write(holding + ";\n")
        other.stdin.flush()
        assert any("held" in line for line in other.stdout)
        postmaster = host.postmaster
        host.begin()
        waiting = "SELECT 1 FROM pg_locks WHERE NOT granted"
        database.until(host, waiting)

        seconds = press_ctrl_c(host, wanted=1)

        host.wait_until(lambda: not Path(f"/proc/{postmaster}/cwd").exists())
    assert seconds < STOP_SECONDS
    assert "stopped before" in host.log.read_text()
    host.start()


def test_a_first_start_that_is_killed_leaves_nothing_that_goes_on_setting_up():
    folder = new_folder("pippin-first-")
    host = House(folder)
    unfinished, data = host.data / "postgres.new", host.data / "postgres"
    try:
        host.begin()
        host.wait_until(lambda: (unfinished / "base").exists() or data.exists())
        process, host.process = host.process, None
        process.kill()
        process.wait(SECONDS)

        host.wait_until(lambda: not at_work_in(unfinished))
        host.start()
        host.stop()
    finally:
        if host.process is not None:
            host.process.kill()
            host.process.wait()
        stop_orphan(host.data)
        shutil.rmtree(folder, ignore_errors=True)


def at_work_in(folder: Path) -> list[str]:
    """The processes that work in a folder or were told to set it up."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if f"--pgdata={folder}" in (process / "cmdline").read_text() or os.readlink(process / "cwd") == str(folder):
                found.append(process.name)
    return found


@contextmanager
def asking(host: Host) -> Iterator[None]:
    """Somebody has asked for a page, and waits for the answer."""
    with socket.create_connection(("127.0.0.1", host.port), timeout=SECONDS) as client:
        client.sendall(f"GET /t/{SYSTEM_TEAM}/account HTTP/1.1\r\nHost: localhost:{host.port}\r\n\r\n".encode())
        yield


@pytest.fixture(scope="module")
def house() -> Iterator[Pippin]:
    """Its PostgreSQL is somebody else's database."""
    with Pippin.running() as house:
        yield house
        house.stop()


@pytest.fixture
def guest(house: Pippin, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Host, DatabaseProxy]]:
    """A Pippin with a database from outside, and the way there."""
    name = f"guest{uuid.uuid4().hex}"
    database.rows(house, f"CREATE DATABASE {name}")
    proxy = DatabaseProxy(house.folder / name, house.data / "socket")
    place = f"host={proxy.folder} user=pippin dbname={name}"
    with Host.running("--demo", "--simulate-apple", "--database", place) as host:
        yield host, proxy
        proxy.mend()
        if host.process is not None:
            host.stop()
    proxy.cut()


def test_a_database_from_outside_may_go_and_return(guest: tuple[Host, DatabaseProxy], secrets: set[str]):
    host, proxy = guest
    writer = Writer(host)
    host.wait_until(lambda: len(writer.acknowledged) >= 3)
    proxy.cut()
    host.wait_until(lambda: not host.is_ready())
    host.wait_until(lambda: says_what_to_do(host.get(f"/t/{SYSTEM_TEAM}/account")))
    proxy.mend()
    host.wait_until(host.is_ready)
    known = len(writer.acknowledged)
    host.wait_until(lambda: len(writer.acknowledged) > known)
    writer.finish()
    secrets.update(writer.acknowledged)

    assert {answer.status_code for answer in writer.refused} == {503}
    assert [token for token in writer.acknowledged if refreshed(host, token).status_code != 200] == []
    assert host.events("database.died") == [], "it is nobody's to start"


@pytest.mark.parametrize("fate", [DatabaseProxy.cut, DatabaseProxy.hold], ids=["gone", "silent"])
def test_ctrl_c_ends_at_once_while_a_database_from_outside_is(guest: tuple[Host, DatabaseProxy], fate: Callable[[DatabaseProxy], None]):
    host, proxy = guest
    fate(proxy)
    with asking(host):
        seconds = press_ctrl_c(host)

    assert seconds < STOP_SECONDS
