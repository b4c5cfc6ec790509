"""The process that serves dies, is replaced, or is told to end: the one that supervises it keeps the sockets and the
private PostgreSQL, and says what happened.
"""

import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
import requests

import database
import logs
from processes import TEAM, BoldWriter, Host, given_by_apple, hand_over, hanging, is_gone, refreshed
from server import Pippin, binary, new_folder
from test_database_away import STOP_SECONDS, press_ctrl_c
from waiting import SECONDS, until

pytestmark = pytest.mark.long


@pytest.fixture
def home(secrets: set[str]) -> Iterator[Host]:
    with Host.running("--demo", "--simulate-apple") as home:
        home.wait_until(home.has_started)
        yield home
        if home.process is not None:
            home.stop()
        assert logs.leaks([home.log, *home.data.rglob("*.log")], secrets) == []
        assert [line for line in logs.not_json(home.log, crashes=True) if not line.startswith("pippin: ")] == []


def test_nothing_acknowledged_is_lost_when_workers_die_under_load(home: Host, secrets: set[str]):
    """V56: codes, sessions and tokens that were given out are whole, whenever the process dies."""
    postmaster = home.postmaster
    acknowledged: list[str] = []
    for death, number in enumerate((signal.SIGSEGV, signal.SIGABRT, signal.SIGKILL), start=1):
        writer = BoldWriter(home)
        home.wait_until(lambda: len(writer.acknowledged) >= 3)
        if number == signal.SIGKILL:
            os.kill(home.worker, number)
        else:
            home.trap("loop-0", number)
        assert home.wait_for("worker.died", death)["signal"] == signal.Signals(number).name
        known = len(writer.acknowledged)
        home.wait_until(lambda: len(writer.acknowledged) > known)
        writer.finish()
        acknowledged += writer.acknowledged
    secrets.update(acknowledged)

    answers = [refreshed(home, token) for token in acknowledged]
    assert [answer.text for answer in answers if answer.status_code != 200] == []
    secrets.update(answer.json()["refresh_token"] for answer in answers)
    assert home.postmaster == postmaster


@pytest.fixture
def folder() -> Iterator[Path]:
    """One that the user may enter whom the worker runs as."""
    folder = new_folder("pippin-program-")
    yield folder
    shutil.rmtree(folder)


@pytest.mark.parametrize(("program", "expected"), [
    (None, "SIGILL"), ("#!/nowhere\n", "SIGILL"), ("#!/bin/sh\nexec sleep 36000\n", "SIGALRM"),
], ids=["is not there", "cannot be run", "does not end"])
def test_a_worker_dies_and_is_started_again_though_the_program_for_backtraces(
    folder: Path, monkeypatch: pytest.MonkeyPatch, program: str | None, expected: str
):
    """V56: it lies beside pippin, or in a toolchain that is in the path."""
    shutil.copy(binary(), folder / "pippin")
    if program is not None:
        (folder / "swift-backtrace").write_text(program)
        (folder / "swift-backtrace").chmod(0o755)
    monkeypatch.setenv("PIPPIN_BINARY", str(folder / "pippin"))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    with Host.running() as host:
        host.trap("loop-0")

        assert host.wait_for("worker.died")["signal"] == expected
        host.wait_until(host.is_ready)
        assert ("*** Signal 4" in host.log.read_text()) == (program is not None)
        host.stop()


def test_a_worker_that_keeps_dying_is_started_ever_later(home: Host):
    """V56: what cannot live is not hurried."""
    for death in range(1, 6):
        home.wait_until(lambda: len(home.events("worker.started")) >= death)
        home.wait_until(lambda: len(home.workers) == 1)
        os.kill(home.worker, signal.SIGKILL)
        home.wait_for("worker.restarting", death)

    pauses = [int(line["pause-milliseconds"]) for line in home.events("worker.restarting")]
    lives = [int(line["uptime-milliseconds"]) for line in home.events("worker.died")]
    # Whoever took a minute to start counts as one that has lived.
    begin = max((number for number, life in enumerate(lives) if life >= 60_000), default=0)
    assert pauses[begin:] == [0, 0, 500, 1000, 2000][: len(pauses) - begin]
    home.wait_until(lambda: len(home.events("worker.started")) == 6)
    home.wait_until(home.is_ready)


def test_a_change_of_the_worker_fails_no_request(home: Host):
    """V56: the binary that lies at its place is taken into use while people sign in."""
    old, failures, counts, is_done = home.worker, [], [0, 0], threading.Event()

    def ask(kind: int, browser: object) -> None:
        while not is_done.is_set():
            try:
                answer = browser.get(f"{home.url}{TEAM}/.well-known/openid-configuration", timeout=SECONDS)
                if answer.status_code != 200:
                    failures.append(answer.text)
            except requests.RequestException as problem:
                failures.append(repr(problem))
            counts[kind] += 1

    # Some open a connection each time, others keep theirs.
    threads = [threading.Thread(target=ask, args=(0, requests), daemon=True) for _ in range(3)]
    threads += [threading.Thread(target=ask, args=(1, requests.Session()), daemon=True) for _ in range(3)]
    for thread in threads:
        thread.start()
    home.wait_until(lambda: min(counts) > 10)
    os.kill(home.process.pid, signal.SIGHUP)
    home.wait_for("worker.changed")
    home.wait_for("worker.drained")
    known = list(counts)
    home.wait_until(lambda: all(now > then for now, then in zip(counts, known)))
    is_done.set()
    for thread in threads:
        thread.join(SECONDS)

    assert failures == []
    assert is_gone(old)
    assert home.worker != old


def test_a_worker_that_cannot_start_changes_nothing(tmp_path: Path):
    """V56: nor does it end the service when the one that served has died: it is tried again until it can start."""
    key, line = tmp_path / "key", f"1 {os.urandom(32).hex()}\n"
    key.write_text(line)
    key.chmod(0o600)
    with Host.running("--master-key", str(key)) as home:
        old, postmaster = home.worker, home.postmaster
        key.write_text("nothing of use\n")
        os.kill(home.process.pid, signal.SIGHUP)

        assert home.wait_for("worker.change_failed")["status"] == "1"

        assert home.worker == old
        assert home.is_ready()
        assert "is not a master key" in home.log.read_text()
        # The same at a death: nobody is served meanwhile, and the reason is told.
        os.kill(old, signal.SIGKILL)
        for attempt in range(1, 4):
            refused = home.wait_for("worker.refused", attempt)
            assert (refused["status"], refused["level"]) == ("1", "error")
            assert "put that right" in refused["cause"]
        assert home.process.poll() is None
        key.write_text(line)

        home.wait_until(home.is_ready)
        assert home.postmaster == postmaster
        home.stop()


def test_what_the_first_worker_is_refused_for_ends_the_start(tmp_path: Path):
    """Nobody was served, and who started it reads why."""
    key = tmp_path / "key"
    key.write_text("nothing of use\n")
    key.chmod(0o600)
    with pytest.raises(AssertionError, match="Pippin ended with 1"), Host.running("--master-key", str(key)):
        pass


class Job(Host):
    """A Pippin in a process group of its own, as a shell starts it."""

    def _limit(self) -> None:
        os.setpgid(0, 0)


def state(process: int) -> str:
    return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]


def test_ctrl_z_stops_both_processes_until_they_are_continued():
    """V56: the terminal tells the one that supervises alone."""
    with Job.running() as job:
        both = (job.process.pid, job.worker)
        job.process.send_signal(signal.SIGTSTP)
        try:
            job.wait_until(lambda: [state(process) for process in both] == ["T", "T"])
        finally:
            job.process.send_signal(signal.SIGCONT)
        job.wait_until(lambda: "T" not in [state(process) for process in both])

        assert job.is_ready()
        assert job.worker == both[1]
        job.stop()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV])
def test_nothing_is_left_of_a_supervisor_that_was_killed(home: Host, number: int):
    """Its worker ends with it; the next one finds the port free, and PostgreSQL running. No memory is shown."""
    worker, postmaster = home.worker, home.postmaster
    home.process.send_signal(number)
    assert home.process.wait(SECONDS) == -number
    assert "Registers" not in home.log.read_text()

    home.start()

    assert is_gone(worker)
    assert home.postmaster == postmaster


def test_ctrl_c_reaches_both_processes_and_is_one(home: Host):
    """Sent to the process that serves alone, as `killall` does, it is passed over."""
    process, worker = home.process, home.worker
    os.kill(worker, signal.SIGINT)
    seconds = press_ctrl_c(home)

    assert seconds < STOP_SECONDS
    assert is_gone(worker) and process.returncode == 0
    assert home.events("worker.died") == []


def test_a_second_signal_ends_at_once(home: Host):
    """The first waits for a request that Apple does not answer."""
    given = given_by_apple(home).json()
    home.let_apple("silent")
    request = hanging(lambda: hand_over(home, given))
    database.until(home, "SELECT 1 FROM native_handovers")
    process, home.process, worker = home.process, None, home.worker
    process.send_signal(signal.SIGTERM)
    home.wait_until(lambda: "stopping" in home.said.read_text())
    process.send_signal(signal.SIGINT)

    assert process.wait(SECONDS) == 1
    request.join(SECONDS)
    assert is_gone(worker)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes namespaces")
def test_as_the_first_process_of_a_container_it_collects_the_dead(tmp_path: Path):
    with Pippin.running() as home:
        home.stop()
        # A shell that leaves somebody behind and becomes Pippin.
        script = f'(sleep 0.5 &); exec "$0" serve --listen 127.0.0.1:{home.port} ' + " ".join(home._place)
        command = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child", "sh", "-c", script, str(binary())]
        with home.log.open("ab") as log, home.said.open("ab") as said:
            home.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=said, stderr=log)
        home._wait_until_ready()
        [inside] = Path(f"/proc/{home.process.pid}/task/{home.process.pid}/children").read_text().split()
        until(
            lambda: not any(is_gone(int(child)) for child in children(inside))
            and "sleep" not in map(name, children(inside)),
            lambda: "nobody collects the dead",
        )
        os.kill(int(inside), signal.SIGTERM)
        process, home.process = home.process, None
        assert process.wait(SECONDS) == 0


def children(process: str) -> list[str]:
    return Path(f"/proc/{process}/task/{process}/children").read_text().split()


def name(process: str) -> str:
    with suppress(FileNotFoundError):
        return Path(f"/proc/{process}/comm").read_text().strip()
    return ""
