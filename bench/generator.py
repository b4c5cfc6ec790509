"""Drives Debian's wrk and reads what it measured."""

import json
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

SCRIPTS = Path("bench/wrk")
THREADS = 2


@dataclass(frozen=True)
class Run:
    """What one run of a generator saw."""

    per_second: float
    p50_ms: float
    p99_ms: float
    errors: int


@dataclass(frozen=True)
class Shares:
    """Milliseconds of CPU that one sign-in took from each."""

    pippin: float
    simulator: float
    postgresql: float
    generator: float

    def __str__(self) -> str:
        return (
            f"Pippin {self.pippin:.2f}, the Apple simulator {self.simulator:.2f}, PostgreSQL {self.postgresql:.2f},"
            f" generator {self.generator:.2f}"
        )


@dataclass(frozen=True)
class Load:
    """One kind of load: a script of bench/wrk, its arguments, and how many connections carry it."""

    script: str
    arguments: tuple[str, ...]
    connections: int = 64

    def paced(self, per_second: float) -> "Load":
        """The same requests, sent at a steady rate instead of as fast as they are answered."""
        return replace(self, script="paced.lua", arguments=(*self.arguments, f"{per_second:.1f}"))

    def drive(self, url: str, seconds: int) -> Run:
        """Loads `url` for that long. Anything but a status below 400 counts as an error."""
        done = subprocess.run(
            [
                "wrk", "--threads", str(THREADS), "--connections", str(self.connections),
                "--duration", f"{seconds}s", "--timeout", "10s", "--script", str(SCRIPTS / self.script),
                url, "--", *self.arguments,
            ],
            capture_output=True, text=True, timeout=seconds + 30,
        )
        for line in done.stdout.splitlines():
            if line.startswith("RESULT "):
                seen = json.loads(line.removeprefix("RESULT "))
                return Run(seen["requests"] / seen["seconds"], seen["p50_ms"], seen["p99_ms"], seen["errors"])
        raise RuntimeError(f"wrk said nothing that counts:\n{done.stdout}{done.stderr}")
