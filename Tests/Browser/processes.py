"""Pippins whose processes are killed, and people who sign in at them meanwhile."""

import ctypes
import os
import signal
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import requests

import logs
from server import Pippin
from waiting import SECONDS, until

TEAM = "/t/DEMOTEAM01"
APP = "example.acme.shop"
TGKILL = {"x86_64": 234, "aarch64": 131}[os.uname().machine]


class Host(Pippin):
    """A Pippin with the demo's team, and the processes of the PostgreSQL it started."""

    @property
    def postmaster(self) -> int:
        return int((self.data / "postgres/postmaster.pid").read_text().split()[0])

    def kill_postgres(self) -> None:
        os.kill(self.postmaster, signal.SIGKILL)

    def kill(self) -> None:
        """Ends it as a power cut does."""
        process, self.process = self.process, None
        process.kill()
        process.wait()

    def events(self, name: str) -> list[dict]:
        return logs.events(self.log, name)

    def wait_for(self, event: str, count: int = 1) -> dict:
        self.wait_until(lambda: len(self.events(event)) >= count)
        return self.events(event)[count - 1]

    def get(self, path: str) -> requests.Response:
        return requests.get(self.url + path, timeout=SECONDS, allow_redirects=False)

    def wait_until(self, is_so: Callable[[], object]) -> None:
        until(is_so, self._last_words)

    def is_ready(self) -> bool:
        return self.get("/readyz").status_code == 200

    def has_started(self) -> bool:
        """Ready is said a moment before the last thing of the start is done."""
        return "Apple     " in self.said.read_text()

    def has_stopped_listening(self) -> bool:
        with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=SECONDS):
            return False
        return True

    @property
    def worker(self) -> int:
        [worker] = self.workers
        return worker

    def trap(self, thread: str, number: int = signal.SIGILL) -> None:
        """Has a thread of the worker fall as if it had trapped while it waits: other system calls hide who called them."""
        worker = self.worker

        def threads() -> list[int]:
            tasks = Path(f"/proc/{worker}/task")
            return [int(task.name) for task in tasks.iterdir() if (task / "comm").read_text().strip() == thread]

        # A thread that is just being started has the name of the one that starts it.
        self.wait_until(lambda: len(threads()) == 1)
        [target] = threads()
        self.wait_until(lambda: state(worker, target) == "S")
        assert ctypes.CDLL(None).syscall(TGKILL, worker, target, number) == 0

    def let_apple(self, fault: str) -> None:
        """Has Apple's token endpoint do something wrong from now on."""
        answer = requests.post(f"{self.url}/apple", {"token": fault}, allow_redirects=False, timeout=SECONDS)
        assert answer.status_code == 303, answer.text


def is_gone(process: int) -> bool:
    with suppress(FileNotFoundError):
        return state(process, process) == "Z"
    return True


def state(process: int, thread: int) -> str:
    """The kernel's letter: S of a thread that waits, Z of one that nobody has asked about yet."""
    return Path(f"/proc/{process}/task/{thread}/stat").read_text().rsplit(")", 1)[1].split()[0]


def status(process: int) -> list[dict[str, str]]:
    """What the kernel says of each thread of a process."""
    return [
        dict(line.split(":\t", 1) for line in (task / "status").read_text().splitlines() if ":\t" in line)
        for task in Path(f"/proc/{process}/task").iterdir()
    ]


def given_by_apple(host: Pippin) -> requests.Response:
    """What Apple's sheet gives to an app on a device."""
    return requests.post(f"{host.url}/apple/device", {"client_id": APP, "person": "regular"}, timeout=SECONDS)


def hand_over(host: Pippin, given: dict) -> requests.Response:
    return requests.post(f"{host.url}{TEAM}/auth/native", given, timeout=SECONDS)


def tokens_for(host: Pippin) -> requests.Response:
    """What an app on a device does: Apple's sheet, then the hand-over."""
    given = given_by_apple(host)
    return hand_over(host, given.json()) if given.status_code == 200 else given


def refreshed(host: Pippin, token: str) -> requests.Response:
    asked = {"client_id": APP, "grant_type": "refresh_token", "refresh_token": token}
    return requests.post(f"{host.url}{TEAM}/auth/token", asked, timeout=SECONDS)


class Writer:
    """Signs in again and again, and remembers what was acknowledged and what else was answered."""

    def __init__(self, host: Pippin):
        self.host = host
        self.acknowledged: list[str] = []
        self.refused: list[requests.Response] = []
        self.is_done = threading.Event()
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        while not self.is_done.is_set():
            answer = tokens_for(self.host)
            if answer.status_code == 200:
                self.acknowledged.append(answer.json()["refresh_token"])
            else:
                self.refused.append(answer)

    def finish(self) -> None:
        self.is_done.set()
        self.thread.join(SECONDS)
        assert not self.thread.is_alive()


class BoldWriter(Writer):
    """Goes on when its connection was cut."""

    def _run(self) -> None:
        while not self.is_done.is_set():
            with suppress(requests.ConnectionError):
                super()._run()


def hanging(request: Callable[[], object]) -> threading.Thread:
    """A request that nobody will answer."""

    def run() -> None:
        try:
            answer = request()
        except requests.RequestException:
            return
        raise AssertionError(f"it was answered: {answer}")

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread


def stop_orphan(data: Path) -> None:
    """Ends the private PostgreSQL that a killed Pippin may have left behind."""
    for file in data.rglob("postmaster.pid"):
        with suppress(ProcessLookupError, ValueError):
            os.kill(int(file.read_text().split("\n")[0]), signal.SIGINT)


def psql(pippin: Pippin) -> list[str]:
    """The command that asks its private PostgreSQL."""
    return ["psql", "--no-psqlrc", "--quiet", "--tuples-only", f"--host={pippin.data / 'socket'}", "--username=pippin",
            "pippin"]
