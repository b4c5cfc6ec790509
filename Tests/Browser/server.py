"""One running Pippin with its own data, and what a person at its terminal can do with it."""

import fcntl
import itertools
import json
import os
import random
import re
import resource
import shutil
import signal
import socket
import subprocess
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Self

from waiting import SECONDS, until

ROOT = Path(__file__).resolve().parents[2]
# Where all data of a run lies, in memory where there is room for it.
HOME = "PIPPIN_BROWSER_TESTS"
MEMORY = Path("/dev/shm")
ROOM = 4 << 30
# Below the ports that the kernel gives to connections; each worker of pytest-xdist has a range of its own.
FIRST_PORT, PORTS_OF_WORKER, WORKERS = 20_000, 1_000, 12


def _ports() -> Iterator[int]:
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")) % WORKERS
    begin = random.randrange(PORTS_OF_WORKER)  # another run may be under way
    for number in itertools.count(begin):
        yield FIRST_PORT + worker * PORTS_OF_WORKER + number % PORTS_OF_WORKER


_next_port = _ports()


def free_port() -> int:
    """A port of 127.0.0.1 at which nothing listens, and which no connection takes meanwhile."""
    for port in itertools.islice(_next_port, PORTS_OF_WORKER):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise AssertionError("every port of this worker is in use")


def make_home() -> Path:
    """A folder for all data of a run."""
    place = MEMORY if MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ROOM else None
    home = Path(tempfile.mkdtemp(prefix="pippin-browser-", dir=place))
    home.chmod(0o755)
    os.environ[HOME] = str(home)
    return home


def new_folder(prefix: str) -> Path:
    """A folder for one test, which the unprivileged user may enter whom a private PostgreSQL runs as."""
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=os.environ.get(HOME)))
    folder.chmod(0o755)
    return folder


def binary() -> Path:
    """The debug binary of the sources as they are, unless PIPPIN_BINARY names another."""
    named = os.environ.get("PIPPIN_BINARY")
    return Path(named) if named else _built()


@cache
def _built() -> Path:
    path = ROOT / ".build/debug/pippin"
    newest = max(file.stat().st_mtime for file in (ROOT / "Sources").rglob("*.*"))
    # Every build that succeeds makes the link `debug` anew; the binary stays where its code has not changed.
    assert path.exists() and path.parent.lstat().st_mtime > newest, (
        f"{path} is missing or older than Sources: run `swift build`, or name a binary in PIPPIN_BINARY"
    )
    return path


def _name(process: str) -> str:
    try:
        return Path(f"/proc/{process}/comm").read_text().strip()
    except FileNotFoundError:
        return ""


class Pippin:
    def __init__(self, folder: Path, options: tuple[str, ...] = (), port: int | None = None):
        self.port = port or free_port()
        self.folder = folder
        self.data = folder / "data"
        self.options = options
        self.log = folder / "pippin.log"
        self.said = folder / "pippin.out"
        self.process: subprocess.Popen | None = None
        # How many file descriptors it may have; None for as many as the tests may.
        self.descriptors: int | None = None
        # The sources that it was built from.
        self.release = ROOT

    @classmethod
    @contextmanager
    def running(cls, *options: str, descriptors: int | None = None) -> Iterator[Self]:
        """One with data of its own, which is gone afterwards; `stop` it before the end to see that it ends well."""
        folder = new_folder("pippin-")
        server = cls(folder, options)
        server.descriptors = descriptors
        if not {"--database", "--master-key"} & set(options):
            server.furnish()
        try:
            server.start()
            yield server
        finally:
            if server.process is not None:
                server.process.terminate()
                server.process.wait(SECONDS)
            shutil.rmtree(folder, ignore_errors=True)

    @property
    def url(self) -> str:
        return f"http://localhost:{self.port}"

    @property
    def binary(self) -> Path:
        return binary() if self.release == ROOT else self.release / ".build/debug/pippin"

    def furnish(self) -> None:
        """Gives it the data of a first start: a cluster with every migration, and the master key. They are made once."""
        home = Path(os.environ[HOME])
        kept, done = home / "kept", home / "kept.done"
        with (home / "kept.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not done.exists():
                subprocess.run(
                    [binary(), "migrate", "--data", kept, "--resources", ROOT], cwd=ROOT, stdin=subprocess.DEVNULL,
                    capture_output=True, check=True, timeout=SECONDS,
                )
                done.touch()
        subprocess.run(["cp", "--archive", kept, self.data], check=True, timeout=SECONDS)

    def start(self) -> None:
        """Starts Pippin, at another port where a first start finds its own taken."""
        is_first = not self.log.exists()
        self.begin()
        try:
            self._wait_until_ready()
        except AssertionError:
            if not is_first or not re.search(rf"\b{self.port}\b.* in use", self._last_words()):
                raise
            self.log.unlink()
            self.port = free_port()
            self.begin()
            self._wait_until_ready()

    def begin(self) -> None:
        """Starts Pippin, and does not wait for it."""
        # Everything there is to log, so that reading the log at the end means something.
        arguments = ["--listen", f"127.0.0.1:{self.port}", "--log-level", "debug", *self._place]
        with self.outputs() as (said, log):
            self.process = subprocess.Popen(
                [self.binary, "serve", *arguments, *self.options],
                cwd=ROOT, stdin=subprocess.DEVNULL, stdout=said, stderr=log, preexec_fn=self._limit,
            )

    @contextmanager
    def outputs(self) -> Iterator[tuple]:
        """What its standard output and standard error are."""
        with self.log.open("ab") as log, self.said.open("ab") as said:
            yield said, log

    def _limit(self) -> None:
        if self.descriptors:
            resource.setrlimit(resource.RLIMIT_NOFILE, (self.descriptors, self.descriptors))

    def stop(self) -> None:
        """Ends Pippin as a service manager does, and insists that it ends well."""
        if self.process is None:
            return
        process, self.process = self.process, None
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        try:
            status = process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise AssertionError(f"Pippin did not stop within {SECONDS} s of SIGTERM\n{self._last_words()}")
        assert status == 0, f"Pippin ended with status {status}\n{self._last_words()}"

    def apply(self, registry: dict, *options: str) -> str:
        file = self.folder / "registry.json"
        file.write_text(json.dumps(registry))
        return self.command("apply", str(file), *options)

    def setup_link(self) -> str:
        """A fresh one-time link for the first operator, as printed."""
        output = self.command("setup-link")
        links = re.findall(re.escape(self.url) + r"\S+", output)
        assert links, f"no link in what `pippin setup-link` printed: {output!r}"
        return links[-1]

    def printed(self, name: str) -> str:
        """The address on one of the lines that `serve` printed at its start."""
        # They are printed a moment after the first request could be served.
        line = re.compile(rf"^{name}\s+(\S+)$", re.MULTILINE)
        [address] = until(lambda: line.findall(self.said.read_text()), self._last_words)
        return address

    def command(self, *arguments: str) -> str:
        done = subprocess.run(
            [self.binary, *arguments, *self._place],
            cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS,
        )
        assert done.returncode == 0, (
            f"`pippin {' '.join(arguments)}` ended with {done.returncode}\n{done.stdout}{done.stderr}"
        )
        return done.stdout

    @property
    def _place(self) -> list[str]:
        return ["--public-url", self.url, "--data", str(self.data), "--resources", str(self.release)]

    @property
    def workers(self) -> list[int]:
        """The processes that serve, the oldest first; `process` supervises them."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return [int(child) for child in children if _name(child) == "pippin-worker"]

    def _wait_until_ready(self) -> None:
        until(self._is_ready, self._last_words)

    def _is_ready(self) -> bool:
        if self.process.poll() is not None:
            raise AssertionError(f"Pippin ended with {self.process.returncode}\n{self._last_words()}")
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=60) as answer:
                return answer.status == 200
        except (urllib.error.URLError, OSError):
            return False

    def _last_words(self) -> str:
        return "".join(self.log.read_text(errors="replace").splitlines(keepends=True)[-20:])
