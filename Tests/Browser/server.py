"""One running Pippin with its own data, and what a person at its terminal can do with it."""

import json
import os
import re
import resource
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 60
STOP_SECONDS = 30


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def binary() -> Path:
    """The debug binary that `swift build --build-tests` made, unless PIPPIN_BINARY names another."""
    path = Path(os.environ.get("PIPPIN_BINARY", ROOT / ".build/debug/pippin"))
    assert path.exists(), f"{path} is missing: run `make test`, or name a binary in PIPPIN_BINARY"
    return path


def _name(process: str) -> str:
    try:
        return Path(f"/proc/{process}/comm").read_text().strip()
    except FileNotFoundError:
        return ""


class Pippin:
    def __init__(self, folder: Path, options: tuple[str, ...] = (), port: int | None = None):
        self.port = port or free_port()
        self.url = f"http://localhost:{self.port}"
        self.folder = folder
        self.data = folder / "data"
        self.options = options
        self.log = folder / "pippin.log"
        self.said = folder / "pippin.out"
        self.process: subprocess.Popen | None = None
        # How many file descriptors it may have; None for as many as the tests may.
        self.descriptors: int | None = None

    @classmethod
    @contextmanager
    def running(cls, *options: str) -> Iterator[Self]:
        """One with data of its own, which is gone afterwards; `stop` it before the end to see that it ends well."""
        folder = Path(tempfile.mkdtemp(prefix="pippin-browser-"))
        folder.chmod(0o755)  # its PostgreSQL runs as an unprivileged user, who has to pass through
        server = cls(folder, options)
        try:
            server.start()
            yield server
        finally:
            if server.process is not None:
                server.process.terminate()
                server.process.wait(30)
            shutil.rmtree(folder, ignore_errors=True)

    def start(self) -> None:
        self.begin()
        self._wait_until_ready()

    def begin(self) -> None:
        """Starts Pippin, and does not wait for it."""
        # Everything there is to log, so that reading the log at the end means something.
        arguments = ["--listen", f"127.0.0.1:{self.port}", "--log-level", "debug", *self._place]
        with self.log.open("ab") as log, self.said.open("ab") as said:
            self.process = subprocess.Popen(
                [binary(), "serve", *arguments, *self.options],
                cwd=ROOT, stdin=subprocess.DEVNULL, stdout=said, stderr=log, preexec_fn=self._limit,
            )

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
            status = process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise AssertionError(f"Pippin did not stop within {STOP_SECONDS} s of SIGTERM\n{self._last_words()}")
        assert status == 0, f"Pippin ended with status {status}\n{self._last_words()}"

    def apply(self, registry: dict) -> str:
        file = self.folder / "registry.json"
        file.write_text(json.dumps(registry))
        return self.command("apply", str(file))

    def setup_link(self) -> str:
        """A fresh one-time link for the first operator, as printed."""
        output = self.command("setup-link")
        links = re.findall(re.escape(self.url) + r"\S+", output)
        assert links, f"no link in what `pippin setup-link` printed: {output!r}"
        return links[-1]

    def printed(self, name: str) -> str:
        """The address on one of the lines that `serve` printed at its start."""
        deadline = time.monotonic() + START_SECONDS
        # They are printed a moment after the first request could be served.
        while not (found := re.findall(rf"^{name}\s+(\S+)$", self.said.read_text(), re.MULTILINE)):
            assert time.monotonic() < deadline, self._last_words()
            time.sleep(0.05)
        [address] = found
        return address

    def command(self, *arguments: str) -> str:
        done = subprocess.run(
            [binary(), *arguments, *self._place],
            cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=START_SECONDS,
        )
        assert done.returncode == 0, (
            f"`pippin {' '.join(arguments)}` ended with {done.returncode}\n{done.stdout}{done.stderr}"
        )
        return done.stdout

    @property
    def _place(self) -> list[str]:
        return ["--public-url", self.url, "--data", str(self.data), "--resources", str(ROOT)]

    @property
    def workers(self) -> list[int]:
        """The processes that serve, the oldest first; `process` supervises them."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return [int(child) for child in children if _name(child) == "pippin-worker"]

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise AssertionError(f"Pippin ended with {self.process.returncode}\n{self._last_words()}")
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=2) as answer:
                    if answer.status == 200:
                        return
            except (urllib.error.URLError, OSError):
                time.sleep(0.05)
        raise AssertionError(f"Pippin was not ready within {START_SECONDS} s\n{self._last_words()}")

    def _last_words(self) -> str:
        return "".join(self.log.read_text(errors="replace").splitlines(keepends=True)[-20:])
