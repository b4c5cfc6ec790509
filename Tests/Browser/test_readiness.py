"""What keeps a server from serving, by its real cause: `/readyz`, `pippin doctor`, the page *Health* and the log use one word
for it, and it goes away by itself when the cause does.
"""

import os
import re
import signal
import socket
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
import requests

import database
from processes import Host, psql
from server import ROOT, Pippin, binary, free_port, new_folder
from waiting import SECONDS, until

sys.path.insert(0, str(ROOT / "bench"))
from postgres import Cluster

pytestmark = [pytest.mark.long, pytest.mark.operations]
FAKETIME = next((str(path) for path in Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1")), None)


class Node(Host):
    def code(self) -> str:
        """What a load balancer is told."""
        answer = self.get("/readyz")
        if answer.status_code == 200:
            assert answer.text == "ready\n"
            return "ready"
        assert (answer.status_code, answer.headers["Retry-After"], answer.headers["Cache-Control"]) == (503, "2", "no-store")
        assert re.fullmatch(r"[a-z_]+: [A-Z][a-z ]+\.\n", answer.text), answer.text
        return answer.text.split(":")[0]

    def turns(self, code: str) -> None:
        until(lambda: self.code() == code, lambda: f"{code}, not {self.code()}: {self._last_words()}")

    def changes(self) -> list[tuple[str, str]]:
        return [(line["from"], line["to"]) for line in self.events("readiness.changed")]

    def doctor(self) -> str:
        done = subprocess.run(
            [binary(), "doctor", *self._place, *self.options], cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True,
            text=True, timeout=SECONDS,
        )
        return done.stdout + done.stderr

    def processes_of_postgres(self) -> list[int]:
        children = Path(f"/proc/{self.postmaster}/task/{self.postmaster}/children").read_text().split()
        return [self.postmaster, *map(int, children)]


@pytest.fixture
def node() -> Iterator[Node]:
    with Node.running() as node:
        node.turns("ready")
        yield node
        node.turns("ready")
        node.stop()


def sql(node: Pippin, *statements: str) -> None:
    for statement in statements:
        subprocess.run([*psql(node), "-c", statement], check=True, capture_output=True, timeout=SECONDS)


def test_a_frozen_database_is_silent(node: Node):
    os.kill(node.postmaster, signal.SIGSTOP)
    frozen = node.processes_of_postgres()
    for process in frozen[1:]:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGSTOP)
    node.turns("database_silent")
    for process in frozen:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGCONT)
    node.turns("ready")
    node.wait_until(
        lambda: node.changes() == [("starting", "ready"), ("ready", "database_silent"), ("database_silent", "ready")])
    assert len(node.events("request")) == len([line for line in node.events("request") if line["level"] == "debug"])


def test_a_database_that_ends_cannot_be_reached(node: Node):
    settings = node.data / "postgres/postgresql.conf"
    text = settings.read_text()
    settings.write_text(text + "\nshared_buffers = plenty\n")
    node.kill_postgres()
    node.turns("database_unreachable")
    assert "database_unreachable" in node.doctor() or "did not start" in node.doctor()
    settings.write_text(text)
    node.turns("ready")


def test_a_database_that_recovers_is_waited_for(node: Node):
    """A standby that takes no connections recovers for ever."""
    postmaster, data = node.postmaster, node.data / "postgres"
    node.kill()
    os.kill(postmaster, signal.SIGINT)
    until(lambda: not Path(f"/proc/{postmaster}/cwd").exists())
    with (data / "postgresql.auto.conf").open("a") as file:
        file.write("\nrestore_command = 'false'\nhot_standby = off\n")
    owner = data.stat()
    (data / "standby.signal").touch()
    os.chown(data / "standby.signal", owner.st_uid, owner.st_gid)
    node.begin()
    node.wait_until(lambda: node.said.read_text().count("database_starting: ") > 1)
    process, node.process = node.process, None
    process.terminate()
    assert process.wait(SECONDS) == 1
    (data / "standby.signal").unlink()
    (data / "postgresql.auto.conf").write_text("")
    node.start()


def test_a_read_only_database(node: Node):
    sql(node, "ALTER SYSTEM SET default_transaction_read_only = on", "SELECT pg_reload_conf()")
    node.turns("database_read_only")
    assert "database_read_only" in node.doctor()
    on = {**os.environ, "PGOPTIONS": "-c default_transaction_read_only=off"}
    for statement in ("ALTER SYSTEM RESET default_transaction_read_only", "SELECT pg_reload_conf()"):
        subprocess.run([*psql(node), "-c", statement], check=True, capture_output=True, env=on, timeout=SECONDS)


@pytest.mark.parametrize(("broken", "mended", "code"), [
    ("REVOKE pippin_app FROM pippin_server", "GRANT pippin_app TO pippin_server", "database_role"),
    ("ALTER ROLE pippin_app BYPASSRLS", "ALTER ROLE pippin_app NOBYPASSRLS", "database_wall"),
    ("REVOKE SELECT ON sessions FROM pippin_app", "GRANT SELECT ON sessions TO pippin_app", "schema_shape"),
])
def test_a_right_that_is_lost(node: Node, broken: str, mended: str, code: str):
    sql(node, broken, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'pippin_server'")
    node.turns(code)
    # A command gives the login of the private cluster its roles back.
    assert code == "database_role" or code in node.doctor()
    sql(node, mended)
    node.turns("ready")


def test_a_data_folder_that_cannot_be_written():
    """As another user than root, who may write everywhere."""
    folder = new_folder("closed-")
    folder.chmod(0o777)
    as_user = ["setpriv", "--reuid=nobody", "--clear-groups"] if os.geteuid() == 0 else []
    port = free_port()
    command = [*as_user, binary(), "serve", "--listen", f"127.0.0.1:{port}", "--public-url", f"http://localhost:{port}",
               "--data", folder / "data", "--resources", ROOT, "--log-level", "debug"]
    log = folder / "log"

    def has(word: str) -> bool:
        return word in log.read_text()

    with log.open("wb") as file:
        process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=file, stderr=file)
    try:
        until(lambda: has('"to":"ready"'), log.read_text)
        (folder / "data").chmod(0o500)
        until(lambda: has('"from":"ready","to":"data_folder"'), log.read_text)
        assert requests.get(f"http://127.0.0.1:{port}/readyz", timeout=SECONDS).text == "ready\n", "a warning"
        (folder / "data").chmod(0o700)
        until(lambda: has('"from":"data_folder","to":"ready"'), log.read_text)
        process.terminate()
        assert process.wait(SECONDS) == 0
        (folder / "data").chmod(0o500)
        done = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS)
        assert (done.returncode, "data_folder: " in done.stderr) == (1, True), done
    finally:
        process.kill()
        (folder / "data").chmod(0o700)


def test_few_descriptors_are_warned_of_and_refused_at_the_start():
    with Node.running("--connections-per-address", "0", descriptors=160) as node:
        node.turns("ready")
        with ExitStack() as clients:
            for _ in range(60):
                clients.enter_context(socket.create_connection(("127.0.0.1", node.port), timeout=SECONDS))
            node.wait_until(lambda: ("ready", "descriptors") in node.changes())
        node.wait_until(lambda: ("descriptors", "ready") in node.changes())
        place = f"host={node.data / 'socket'} user=pippin dbname=pippin"
        poor = Node(new_folder("poor-"), ("--database", place, "--master-key", str(node.data / "master-key")))
        poor.descriptors = 60
        poor.begin()
        assert poor.process.wait(SECONDS) == 1
        assert "descriptors: Fewer than 64" in poor.log.read_text()
        node.stop()


def test_few_descriptors_for_a_minute():
    with Node.running(descriptors=100) as node:
        node.turns("descriptors")
        node.stop()


@pytest.mark.skipif(FAKETIME is None, reason="needs Debian's faketime")
def test_a_clock_that_is_wrong(node: Node, monkeypatch: pytest.MonkeyPatch):
    """Beside a node whose clock is right, and alone; by a database that keeps the true time."""
    name = f"clock{uuid.uuid4().hex}"
    database.rows(node, f"CREATE DATABASE {name}")
    place = f"host={node.data / 'socket'} user=pippin dbname={name}"
    with Node.running("--database", place) as right:
        right.turns("ready")
        wrong = Node(new_folder("wrong-"), ("--database", place, "--master-key", str(right.data / "master-key")))
        file = wrong.folder / "offset"
        file.write_text("+0")
        # The first process that is given the library loses its arguments: a shell that needs none.
        starter = wrong.folder / "starter"
        starter.write_text(f'#!/bin/sh\nexec {binary()} "$@"\n')
        starter.chmod(0o755)
        for key, value in {
            "LD_PRELOAD": FAKETIME, "FAKETIME_TIMESTAMP_FILE": str(file), "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1", "PIPPIN_BINARY": str(starter),
        }.items():
            monkeypatch.setenv(key, value)
        wrong.begin()
        wrong.wait_until(wrong._is_ready)
        file.write_text("+30s")
        wrong.wait_until(lambda: ("ready", "clock") in wrong.changes())
        assert wrong.code() == "ready", "a warning"
        file.write_text("+120s")
        wrong.turns("clock")
        assert right.code() == "ready"
        file.write_text("+0")
        wrong.turns("ready")
        wrong.stop()
        file.write_text("-120s")
        wrong.begin()
        assert wrong.process.wait(SECONDS) == 1
        wrong.process = None
        assert "clock: The clock" in wrong.log.read_text()
        monkeypatch.undo()
        right.stop()


def test_a_worker_that_was_suspended_finds_nothing_wrong(node: Node):
    """As with a machine that was paused: what nobody asked has not been silent."""
    worker = node.worker
    database.until(node, "SELECT 1 FROM heartbeats", len)
    os.kill(worker, signal.SIGSTOP)
    database.until(node, "SELECT 1 FROM heartbeats WHERE seen_at < now() - interval '11 seconds'", len)
    os.kill(worker, signal.SIGCONT)
    assert node.code() == "ready"
    database.until(node, "SELECT 1 FROM heartbeats WHERE seen_at > now() - interval '5 seconds'", len)
    assert node.changes() == [("starting", "ready")]


def test_a_database_restored_without_its_roles_is_refused(node: Node):
    """O10: the plain dump of a beginner, on a server that has neither role."""
    dump = subprocess.run(
        ["pg_dump", "--no-owner", f"--host={node.data / 'socket'}", "--username=pippin", "pippin"], check=True,
        capture_output=True, timeout=SECONDS,
    ).stdout
    cluster = Cluster()
    cluster.start()
    try:
        subprocess.run(
            ["psql", "--no-psqlrc", "--quiet", cluster.url()], input=dump, check=True, capture_output=True, timeout=SECONDS)
        restored = Node(new_folder("restored-"), (
            "--database", cluster.url(), "--master-key", str(node.data / "master-key")))
        for command in ("serve", "migrate"):
            done = subprocess.run(
                [binary(), command, *restored._place, *restored.options], cwd=ROOT, stdin=subprocess.DEVNULL,
                capture_output=True, text=True, timeout=SECONDS,
            )
            assert done.returncode == 1, done
            assert "schema_shape: " in done.stderr and "restored without its policies" in done.stderr, done
        assert "schema_shape" in restored.doctor()
    finally:
        cluster.stop()
