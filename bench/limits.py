"""Measures what this machine can do at most: each step of a request alone, without Pippin."""

import os
import re
import shutil
import socket
import subprocess
from dataclasses import dataclass
from pathlib import Path

from generator import Load
from postgres import Cluster

SOURCES = Path("bench/limits")
BUILT = Path(".build/bench")
LIBRARIES = {"page": ["-lmicrohttpd"], "argon2": ["-lsodium", "-pthread"], "mint": ["-lcrypto"]}
CORES = os.cpu_count() or 1


@dataclass(frozen=True)
class Limits:
    """Rates of the whole machine, in operations a second; `at_most` joins them."""

    rsa_signature: float
    es256_verification: float
    committed_update: float
    relaxed_insert: float
    list_read: float
    token_read: float
    page: float
    argon2id: float


def at_most(*rates: float) -> float:
    """What remains per second when each request needs one operation of every kind, on the same cores."""
    return 1 / sum(1 / rate for rate in rates)


def compile_programs() -> None:
    BUILT.mkdir(parents=True, exist_ok=True)
    for name, libraries in LIBRARIES.items():
        subprocess.run(
            ["cc", "-O2", "-Wall", "-Wextra", "-o", BUILT / name, SOURCES / f"{name}.c", *libraries], check=True
        )


def measure(cluster: Cluster) -> Limits:
    signature, verification = _signatures()
    return Limits(
        rsa_signature=signature,
        es256_verification=verification,
        committed_update=_pgbench(cluster, "committed_update.sql"),
        relaxed_insert=_pgbench(cluster, "relaxed_insert.sql"),
        list_read=_pgbench(cluster, "list_read.sql"),
        token_read=_pgbench(cluster, "token_read.sql"),
        page=_page(),
        argon2id=float(_output([str(BUILT / "argon2"), str(CORES), "2"])),
    )


def _signatures() -> tuple[float, float]:
    """RSA-2048 signatures and ES256 verifications a second, by OpenSSL's own measure on all cores at once."""
    text = _output(["openssl", "speed", "-multi", str(CORES), "-seconds", "2", "rsa2048", "ecdsap256"])
    rsa = re.search(r"^rsa 2048 bits +\S+ +\S+ +([\d.]+)", text, re.MULTILINE)
    ecdsa = re.search(r"^ *256 bits ecdsa \(nistp256\) +\S+ +\S+ +\S+ +([\d.]+)", text, re.MULTILINE)
    if not rsa or not ecdsa:
        raise RuntimeError(f"`openssl speed` printed something new:\n{text}")
    return float(rsa.group(1)), float(ecdsa.group(1))


def _pgbench(cluster: Cluster, script: str, seconds: int = 5, clients: int = 16) -> float:
    """Transactions a second of one script, under Pippin's role and row-level security."""
    pgbench = shutil.which("pgbench", path=f"{cluster.binaries}{os.pathsep}{os.environ['PATH']}")
    text = _output([
        pgbench, "--no-vacuum", "--protocol", "prepared", "--client", str(clients), "--jobs", str(CORES),
        "--time", str(seconds), "--file", str(SOURCES / script), cluster.url("pippin_app"),
    ])
    found = re.search(r"^tps = ([\d.]+)", text, re.MULTILINE)
    failed = re.search(r"^number of failed transactions: (\d+)", text, re.MULTILINE)
    if not found or (failed and int(failed.group(1))):
        raise RuntimeError(f"pgbench did not finish {script}:\n{text}")
    return float(found.group(1))


def _page() -> float:
    """Answers a second of a bare libmicrohttpd page, under the same generator."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen(
        [BUILT / "page", str(port), str(CORES)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        server.stdout.readline()
        return Load("get.lua", ("/",)).drive(f"http://127.0.0.1:{port}", 5).per_second
    finally:
        server.stdin.close()
        server.wait(10)


def _output(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr}")
    return done.stdout
