"""The iOS sample as a program of this machine: Apple's frameworks are as much of them as iOS/ has."""

import json
import os
import subprocess
from pathlib import Path

from server import ROOT, new_folder
from waiting import SECONDS

FRAMEWORKS = ("Security", "CryptoKit", "AuthenticationServices")


class Phone:
    """A phone with the app on it. Each run is a launch, and what its keychain keeps outlives it."""

    def __init__(self, bundle_id: str, device: str):
        self.folder = new_folder("phone-")
        self.keychain_file = self.folder / "keychain.json"
        self.surroundings = {"BUNDLE_ID": bundle_id, "DEVICE": device, "KEYCHAIN": str(self.keychain_file)}
        for name in FRAMEWORKS:
            self._compile("-parse-as-library", "-emit-module", "-emit-object", "-module-name", name, "-o", f"{name}.o",
                          self._source(name))
        self._compile("-module-name", "App", "-I", ".", "-o", "app", *(ROOT / "docs/samples/ios").glob("*.swift"),
                      self._source("main"), *(f"{name}.o" for name in FRAMEWORKS), "-lcrypto")
        # The one for an app without a server.
        self._compile("-typecheck", "-I", ".", ROOT / "docs/samples/PippinSignIn.swift",
                      ROOT / "docs/samples/ios/Keychain.swift")

    def launch(self, server: str, *words: str, **surroundings: str) -> list[str]:
        """Starts the app against a server, has it do what the words say, and returns what it printed."""
        done = subprocess.run(
            [self.folder / "app", server, *words], env=os.environ | self.surroundings | surroundings,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout.splitlines()

    @property
    def keychain(self) -> dict:
        return {name: json.loads(value) for name, value in json.loads(self.keychain_file.read_text()).items()}

    def keep(self, name: str, value: dict) -> None:
        items = json.loads(self.keychain_file.read_text()) | {name: json.dumps(value)}
        self.keychain_file.write_text(json.dumps(items))

    def _compile(self, *arguments: str | Path) -> None:
        done = subprocess.run(
            ["swiftc", "-swift-version", "6", "-warnings-as-errors", *arguments], cwd=self.folder,
            capture_output=True, text=True, timeout=SECONDS,
        )
        assert done.returncode == 0, done.stdout + done.stderr

    @staticmethod
    def _source(name: str) -> Path:
        return Path(__file__).parent / "iOS" / f"{name}.swift"
