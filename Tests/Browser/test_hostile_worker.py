"""Another program has taken the place of the process that serves, and ends as it likes: that misleads nobody."""

import os
import shutil
import signal
from pathlib import Path

import pytest

from processes import Host, is_gone
from server import binary

pytestmark = pytest.mark.long


class Program:
    """A Pippin of our own, in whose place another program can lie that says it serves."""

    def __init__(self, folder: Path):
        self.path, self.aside, self.go = (folder / name for name in ("pippin", "pippin.aside", "go"))
        shutil.copy(binary(), self.path)

    def take_over(self, host: Host, script: str) -> None:
        """From now on a shell serves, which ends as the script says once it is let go."""
        other = self.path.with_name("other")
        other.write_text(f"#!/bin/sh\n{script}\n")
        other.chmod(0o755)
        os.link(self.path, self.aside)
        other.replace(self.path)
        host.process.send_signal(signal.SIGHUP)
        host.wait_for("worker.changed")
        # The next one is Pippin again.
        self.aside.replace(self.path)

    def ends_with(self, status: int) -> str:
        return f"printf R >&3; while [ ! -e {self.go} ]; do sleep 0.05; done; exit {status}"

    def let_go(self, host: Host) -> dict:
        self.go.touch()
        return host.wait_for("worker.died")


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Program:
    program = Program(tmp_path)
    monkeypatch.setenv("PIPPIN_BINARY", str(program.path))
    return program


@pytest.mark.parametrize("status", [0, 1, 64])
def test_one_that_has_served_has_died_whatever_it_ends_with(program: Program, status: int):
    """V56: 1 and 64 are what a worker ends with that is refused at its start; then nobody was served any more."""
    with Host.running() as host:
        postmaster = host.postmaster
        program.take_over(host, program.ends_with(status))
        assert program.let_go(host)["status"] == str(status)

        host.wait_until(host.is_ready)
        assert host.process.poll() is None
        assert host.postmaster == postmaster
        assert host.events("worker.refused") == []
        host.stop()


def test_what_it_has_started_ends_with_it(program: Program, tmp_path: Path):
    """V56: a child holds the listening sockets, and would go on to take connections."""
    note = tmp_path / "child"
    with Host.running() as host:
        program.take_over(host, f"sleep 36000 & echo $! > {note}; {program.ends_with(1)}")
        child = int(note.read_text())
        assert not is_gone(child)
        program.let_go(host)
        try:
            host.wait_until(lambda: is_gone(child))
        finally:
            if not is_gone(child):
                os.kill(child, signal.SIGKILL)
        host.wait_until(host.is_ready)
        host.stop()
