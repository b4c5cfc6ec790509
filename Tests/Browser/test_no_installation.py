"""Commands where there is no installation: only those that begin one make anything."""

import os
import subprocess
from pathlib import Path

import pytest

import database
from server import ROOT, Pippin, binary, new_folder
from waiting import SECONDS

COMMANDS = {
    "apply": ("apply", "{folder}/registry.json"), "export": ("export", "ACMETEAM01"), "audit": ("audit", "verify"),
    "doctor": ("doctor",), "setup-link": ("setup-link",), "backup": ("backup", "{folder}/copy"),
}
# What the check-up could not look at is not wrong.
STATUS = {name: 2 if name == "doctor" else 1 for name in COMMANDS}
USERS = ["", *(["nobody"] if os.geteuid() == 0 else [])]


def run(name: str, folder: Path, user: str, *options: str) -> subprocess.CompletedProcess:
    command = [part.format(folder=folder) for part in COMMANDS[name]]
    as_user = ["setpriv", f"--reuid={user}", "--clear-groups"] if user else []
    return subprocess.run(
        [*as_user, binary(), *command, *options, "--resources", ROOT], stdin=subprocess.DEVNULL, capture_output=True,
        text=True, timeout=SECONDS, cwd="/",
    )


def held(folder: Path) -> list[tuple]:
    """Everything in a folder, with its rights and times."""
    return [(path, path.lstat().st_mode, path.lstat().st_mtime_ns) for path in sorted([folder, *folder.rglob("*")])]


@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_makes_no_installation(name: str, user: str):
    """O16: an empty folder, one that is not there, one without rights, and the root of the file system."""
    folder = new_folder("none-")
    folder.chmod(0o777)
    (folder / "registry.json").write_text('{"teams": []}')
    empty, closed = folder / "empty", folder / "closed"
    empty.mkdir(mode=0o777)
    closed.mkdir(mode=0o000)
    before = held(folder)
    roots = set(os.listdir("/"))
    for place in (empty, closed, folder / "missing", Path("/")):
        done = run(name, folder, user, "--data", str(place))
        assert (done.returncode, f"No installation here: {place} has no PostgreSQL data" in done.stderr) == (
            STATUS[name], True), f"{place}: {done}"
    assert held(folder) == before
    assert set(os.listdir("/")) == roots


def test_a_command_migrates_no_database_and_makes_no_key(tmp_path: Path):
    """O16 beside an operator's database."""
    with Pippin.running() as house:
        place = f"host={house.data / 'socket'} user=pippin"
        database.rows(house, "CREATE DATABASE empty")
        (tmp_path / "registry.json").write_text('{"teams": []}')
        # A backup needs no key, and says by itself what it cannot read.
        for name in sorted(COMMANDS.keys() - {"backup"}):
            data = tmp_path / "data"
            done = run(name, tmp_path, "", "--data", str(data), "--database", f"{place} dbname=empty")
            assert (done.returncode, "run pippin migrate" in done.stderr, data.exists()) == (STATUS[name], True, False), done
            done = run(name, tmp_path, "", "--data", str(data), "--database", f"{place} dbname=pippin")
            assert (done.returncode, "is missing" in done.stderr, data.exists()) == (STATUS[name], True, False), done
        house.stop()
