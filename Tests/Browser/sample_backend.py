"""The backends of docs/samples as processes of their own, started as their README says."""

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

import requests

from cast import SigningKey
from server import ROOT, free_port, new_folder
from waiting import SECONDS, until

SAMPLES = ROOT / "docs/samples"
COMMANDS = {
    "go": ["go", "run", "."],
    "java": ["java", "Backend.java"],
    "node": ["node", "backend.mjs"],
    "python": [str(ROOT / ".venv/bin/python"), "backend.py"],
}
# What the processes find beside what they are told: nothing of this machine that would tell them the rest.
SURROUNDINGS = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}


class SampleBackend:
    """One of the four, at a port of 127.0.0.1, with a data file of its own."""

    def __init__(self, language: str, port: int | None = None):
        self.language = language
        self.folder = new_folder("backend-")
        self.port = port or free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.return_url = f"{self.url}/callback"
        self.client_id = f"example.acme.{language}"
        self.data_file = self.folder / "people.json"
        self.said = self.folder / "said"
        self.settings: dict[str, str] = {}
        self.process: subprocess.Popen | None = None

    def use(self, base: str, team: str, key: SigningKey, bundle_id: str) -> None:
        file = self.folder / f"AuthKey_{key.id}.p8"
        file.write_text(key.private_pem)
        self.settings = {
            "BASE_URL": base, "TEAM_ID": team, "CLIENT_ID": self.client_id, "BUNDLE_ID": bundle_id, "KEY_ID": key.id,
            "KEY_FILE": str(file), "ORIGIN": self.url, "PORT": str(self.port), "DATA_FILE": str(self.data_file),
        }

    @contextmanager
    def running(self, **more: str) -> Iterator[Self]:
        with self.said.open("a") as said:
            self.process = subprocess.Popen(
                COMMANDS[self.language], cwd=SAMPLES / self.language, env=SURROUNDINGS | self.settings | more, stdin=subprocess.DEVNULL,
                stdout=said, stderr=said, start_new_session=True,
            )
        try:
            until(self._answers, self.said.read_text)
            yield self
        finally:
            # `go run` and its child.
            os.killpg(self.process.pid, 15)
            self.process.wait(SECONDS)
            # Its child may outlive it for a moment, with the port.
            until(lambda: not self._answers())

    def refusal(self, **settings: str) -> tuple[int, str]:
        """Exit status and words of one that lacks something."""
        done = subprocess.run(
            COMMANDS[self.language], cwd=SAMPLES / self.language, env=SURROUNDINGS | settings, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=SECONDS,
        )
        return done.returncode, done.stdout + done.stderr

    @property
    def data(self) -> dict:
        return json.loads(self.data_file.read_text())

    def _answers(self) -> bool:
        assert self.process.poll() in (None, -15), self.said.read_text()
        try:
            return requests.get(f"{self.url}/me", timeout=SECONDS).status_code == 401
        except requests.ConnectionError:
            return False
