"""The backends of docs/samples, as processes of their own."""

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Self

import requests

from cast import SigningKey
from server import ROOT, free_port, new_folder
from waiting import SECONDS, until

SAMPLES = ROOT / "docs/samples"
LANGUAGES = ("go", "java", "node", "python")


class SampleBackend:
    """One of the four, at a port of 127.0.0.1, with a data file of its own."""

    def __init__(self, language: str):
        self.language = language
        self.sources = SAMPLES / language
        self.folder = new_folder("backend-")
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.return_url = f"{self.url}/callback"
        self.client_id = f"example.acme.{language}"
        self.data_file = self.folder / "people.json"
        self.said = self.folder / "said"
        self.settings: dict[str, str] = {}

    def use(self, base: str, team: str, key: SigningKey, bundle_id: str) -> None:
        file = self.folder / f"AuthKey_{key.id}.p8"
        file.write_text(key.private_pem)
        self.settings = {
            "BASE_URL": base, "TEAM_ID": team, "CLIENT_ID": self.client_id, "BUNDLE_ID": bundle_id, "KEY_ID": key.id,
            "KEY_FILE": str(file), "ORIGIN": self.url, "PORT": str(self.port), "DATA_FILE": str(self.data_file),
        }

    @cached_property
    def command(self) -> list[str | Path]:
        """Starts it; the first time, it is compiled where it has to be."""
        program = self.folder / "program"
        match self.language:
            case "go":
                self._compile("go", "build", "-o", program, ".")
                return [program]
            case "java":
                self._compile("javac", "-Werror", "-d", program, *self.sources.glob("*.java"))
                return ["java", "-cp", program, "Backend"]
            case "node":
                return ["node", "backend.mjs"]
            case "python":
                return [ROOT / ".venv/bin/python", "backend.py"]

    def _compile(self, *command: str | Path) -> None:
        environment = os.environ | {"GOCACHE": str(self.folder / "cache")}
        done = subprocess.run(
            command, cwd=self.sources, env=environment, capture_output=True, text=True, timeout=SECONDS
        )
        assert done.returncode == 0, done.stdout + done.stderr

    @contextmanager
    def running(self, **more: str) -> Iterator[Self]:
        with self.said.open("a") as said:
            process = subprocess.Popen(
                self.command, cwd=self.sources, env=self._environment(self.settings | more), stdin=subprocess.DEVNULL,
                stdout=said, stderr=said,
            )

        def answers() -> bool:
            assert process.poll() is None, self.said.read_text()
            try:
                return requests.get(self.url, timeout=SECONDS).status_code == 200
            except requests.ConnectionError:
                return False

        try:
            until(answers, self.said.read_text)
            yield self
        finally:
            process.terminate()
            process.wait(SECONDS)

    def refusal(self, **settings: str) -> tuple[int, str]:
        """Exit status and words of one that lacks something."""
        done = subprocess.run(
            self.command, cwd=self.sources, env=self._environment(settings), stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=SECONDS,
        )
        return done.returncode, done.stdout + done.stderr

    @property
    def data(self) -> dict:
        return json.loads(self.data_file.read_text())

    @staticmethod
    def _environment(settings: dict[str, str]) -> dict[str, str]:
        """Nothing that would tell a backend what it was not told."""
        return {"PATH": os.environ["PATH"], "LANG": "C.UTF-8"} | settings
