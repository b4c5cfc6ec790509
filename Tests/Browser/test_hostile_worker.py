"""The process that serves was taken over, or writes where it should not: what it shares with the process that supervises it
ends and misleads nobody.
"""

import os
import pwd
import re
import shutil
import signal
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from machine_room import Host, is_gone
from server import binary
from waiting import SECONDS

# The descriptor of the memory that both share (WorkerLink.memory), and where the list of loaded files lies in it.
MEMORY = 4
MAPS = 4096
MEGABYTE = 1 << 20
pytestmark = pytest.mark.long
AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root has files of others")


class Prey(Host):
    """A Pippin whose worker is not its friend."""

    def shared(self) -> int:
        """The memory, as the worker itself could write it."""
        return os.open(f"/proc/{self.worker}/fd/{MEMORY}", os.O_RDWR)

    def fall(self) -> dict:
        """Ends the worker, and returns what the log says of it once another one serves."""
        death = len(self.events("worker.died")) + 1
        os.kill(self.worker, signal.SIGKILL)
        died = self.wait_for("worker.died", death)
        assert requests.get(self.url + "/healthz", timeout=SECONDS).status_code == 200
        assert self.process.poll() is None
        return died


class Program:
    """A Pippin of our own, in whose place another program can lie that says it serves."""

    def __init__(self, folder: Path):
        self.path, self.aside, self.go = (folder / name for name in ("pippin", "pippin.aside", "go"))
        shutil.copy(binary(), self.path)

    def take_over(self, prey: Prey, script: str) -> None:
        """From now on a shell serves, which ends as the script says once it is let go."""
        other = self.path.with_name("other")
        other.write_text(f"#!/bin/sh\n{script}\n")
        other.chmod(0o755)
        os.link(self.path, self.aside)
        other.replace(self.path)
        prey.process.send_signal(signal.SIGHUP)
        prey.wait_for("worker.changed")
        # The next one is Pippin again.
        self.aside.replace(self.path)

    def ends_with(self, status: int) -> str:
        return f"printf R >&3; while [ ! -e {self.go} ]; do sleep 0.05; done; exit {status}"

    def let_go(self, prey: Prey) -> dict:
        self.go.touch()
        return prey.wait_for("worker.died")


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Program:
    program = Program(tmp_path)
    monkeypatch.setenv("PIPPIN_BINARY", str(program.path))
    return program


@pytest.fixture
def prey() -> Iterator[Prey]:
    with Prey.running() as prey:
        yield prey
        prey.stop()


def test_a_note_of_no_signal_is_none(prey: Prey):
    """V39, V56: a number beyond all signals ended the one that reads it."""
    memory = prey.shared()
    os.pwrite(memory, struct.pack("=II16s", 0xFFFF_FFFF, 0xFFFF_FFFF, b"\xff" * 16), 0)
    os.close(memory)

    assert prey.fall()["signal"] == "SIGKILL"


def test_what_both_share_stays_as_large_as_it_is(prey: Prey):
    """V56: reading beyond the end of a file in memory is SIGBUS."""
    memory = prey.shared()
    size = os.fstat(memory).st_size
    for other in (0, size - 1, size + 1):
        with pytest.raises(PermissionError):
            os.ftruncate(memory, other)
    os.close(memory)

    prey.fall()


@AS_ROOT
def test_names_are_read_from_files_alone_that_nobody_can_have_made_up(prey: Prey):
    """V56: what supervises is root, and reads no file of the worker's own making."""
    [loaded] = {
        line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines() if line.endswith("/libc.so.6")
    }
    place = prey.folder / "made-up.so"
    shutil.copyfile(loaded, place)
    found = []
    for owner, mode in (("root", 0o644), ("postgres", 0o644), ("root", 0o646)):
        os.chown(place, pwd.getpwnam(owner).pw_uid, -1)
        place.chmod(mode)
        memory = prey.shared()
        size = place.stat().st_size
        os.pwrite(memory, f"10000000-{0x10000000 + size:x} r-xp 00000000 00:00 0 {place}\n\0".encode(), MAPS)
        frames = [0x10000000 + offset for offset in range(0x40000, 0x120000, 0x20000)]
        note = struct.pack("=II16s", signal.SIGILL, len(frames), b"loop-0")
        os.pwrite(memory, note + struct.pack(f"={len(frames)}Q", *frames), 0)
        os.close(memory)
        found.append([
            frame for frame in prey.fall()["frames"].split(" < ") if not re.fullmatch(r"made-up\.so\+0x[0-9a-f]+", frame)
        ])

    known, of_another, open_to_all = found
    assert known, "the names of a file that belongs to root"
    assert (of_another, open_to_all) == ([], [])


@pytest.mark.parametrize("status", [0, 1, 64])
def test_one_that_has_served_has_died_whatever_it_ends_with(program: Program, status: int):
    """V56: 1 and 64 are what a worker ends with that is refused at its start; then nobody was served any more."""
    with Prey.running() as prey:
        postmaster = prey.postmaster
        program.take_over(prey, program.ends_with(status))
        assert program.let_go(prey)["status"] == str(status)

        prey.wait_until(prey.is_ready)
        assert prey.process.poll() is None
        assert prey.postmaster == postmaster
        assert prey.events("worker.refused") == []
        prey.stop()


def test_what_it_has_started_ends_with_it(program: Program, tmp_path: Path):
    """V56: a child holds the listening sockets, and would go on to take connections."""
    note = tmp_path / "child"
    with Prey.running() as prey:
        program.take_over(prey, f"sleep 36000 & echo $! > {note}; {program.ends_with(1)}")
        child = int(note.read_text())
        assert not is_gone(child)
        program.let_go(prey)
        try:
            prey.wait_until(lambda: is_gone(child))
        finally:
            if not is_gone(child):
                os.kill(child, signal.SIGKILL)
        prey.wait_until(prey.is_ready)
        prey.stop()


@AS_ROOT
def test_a_file_is_read_once_by_however_many_paths(prey: Prey):
    """V55, V56: 24 paths to one file had the one that supervises, which is root, read it 24 times."""
    [loaded] = {
        line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines() if line.endswith("/libc.so.6")
    }
    place = prey.folder / "made-up.so"
    shutil.copyfile(loaded, place)
    length, size = place.stat().st_size, 40 * MEGABYTE
    os.truncate(place, size)
    begins = [0x10000000 * number for number in range(1, 25)]
    maps = [
        f"{begin:x}-{begin + length:x} r-xp 00000000 00:00 0 {prey.folder}/{'./' * number}made-up.so\n"
        for number, begin in enumerate(begins)
    ]
    memory = prey.shared()
    os.pwrite(memory, "".join(maps).encode() + b"\0", MAPS)
    frames = [begin + offset for begin, offset in zip(begins, range(0x40000, 0x100000, 0x8000))]
    os.pwrite(memory, struct.pack("=II16s", signal.SIGILL, len(frames), b"loop-0") + struct.pack("=24Q", *frames), 0)
    os.close(memory)

    known = most_memory(prey.process.pid)
    named = [frame for frame in prey.fall()["frames"].split(" < ") if not frame.startswith("made-up.so+0x")]
    assert len(named) > 12, "the names of the functions, by whatever path"
    assert most_memory(prey.process.pid) - known < 3 * size


def most_memory(process: int) -> int:
    """The most octets that a process has had in memory."""
    [line] = [line for line in Path(f"/proc/{process}/status").read_text().splitlines() if line.startswith("VmHWM:")]
    return int(line.split()[1]) << 10
