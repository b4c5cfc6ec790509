"""The Pippin under measurement: the release binary on the bench's own PostgreSQL."""

import json
import re
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

BINARY = Path(".build/release/pippin")
TRUSTED_PROXY = "127.0.0.1/32"


class Pippin:
    def __init__(self, database: str, folder: Path, *serving: str, public_url: str | None = None):
        """`serving` are more options of `pippin serve`; `public_url` is another process's, beside which this one works."""
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.url = public_url or f"http://localhost:{self.port}"
        self.address = f"http://127.0.0.1:{self.port}"
        self.options = [
            "--database", database, "--public-url", self.url, "--data", str(folder / "pippin"),
        ]
        self.serving = [*serving, "--trusted-proxy", TRUSTED_PROXY]
        self.folder = folder
        self.process: subprocess.Popen | None = None

    def start(self) -> float:
        """Starts it and returns how many milliseconds passed until `/readyz` answered 200."""
        log = (self.folder / "pippin.log").open("ab")
        begin = time.monotonic()
        self.process = subprocess.Popen(
            [BINARY, "serve", *self.options, "--listen", f"127.0.0.1:{self.port}", *self.serving],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log,
        )
        log.close()
        while time.monotonic() - begin < 30:
            if self.process.poll() is not None:
                break
            if self._is_ready():
                return (time.monotonic() - begin) * 1000
            time.sleep(0.002)
        raise RuntimeError(f"Pippin did not become ready:\n{(self.folder / 'pippin.log').read_text()[-2000:]}")

    def stop(self) -> None:
        process, self.process = self.process, None
        if process is None:
            return
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def command(self, *arguments: str) -> str:
        done = subprocess.run(
            [BINARY, *arguments, *self.options], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60
        )
        if done.returncode != 0:
            raise RuntimeError(f"`pippin {arguments[0]}` ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        return done.stdout

    def apply(self, registry: dict) -> None:
        file = self.folder / "registry.json"
        file.write_text(json.dumps(registry))
        self.command("apply", str(file))

    def setup_link(self) -> str:
        return re.findall(re.escape(self.url) + r"\S+", self.command("setup-link"))[-1]

    @property
    def worker(self) -> int:
        """The process that serves; the other one supervises it."""
        own = self.process.pid
        [worker] = [
            child for child in Path(f"/proc/{own}/task/{own}/children").read_text().split()
            if Path(f"/proc/{child}/comm").read_text().strip() == "pippin-worker"
        ]
        return int(worker)

    def forget_peak_memory(self) -> None:
        """Makes the peak what is held now (proc(5), clear_refs)."""
        Path(f"/proc/{self.worker}/clear_refs").write_text("5")

    def peak_memory_mib(self) -> float:
        """The most memory the process held (VmHWM) since `forget_peak_memory`, or since its start."""
        status = Path(f"/proc/{self.worker}/status").read_text()
        return int(re.search(r"^VmHWM:\s+(\d+) kB", status, re.MULTILINE).group(1)) / 1024

    def _is_ready(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.address}/readyz", timeout=1) as answer:
                return answer.status == 200
        except (urllib.error.URLError, OSError):
            return False
