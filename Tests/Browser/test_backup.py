"""Backups and restores that are killed, run into a full disk, or meet a pooler leave nothing behind."""

import os
import random
import subprocess
from pathlib import Path

import pytest

import database
from server import ROOT, Pippin, binary
from test_poolers import pooler
from waiting import SECONDS

pytestmark = [pytest.mark.long, pytest.mark.operations]
KILLS = 25


@pytest.fixture(scope="module")
def house():
    with Pippin.running("--demo") as house:
        yield house
        house.stop()


def begin(*arguments: object, before: tuple[str, ...] = ()) -> subprocess.Popen:
    return subprocess.Popen(
        [*before, binary(), *map(str, arguments), "--resources", ROOT], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True,
    )


def run(*arguments: object, before: tuple[str, ...] = ()) -> tuple[int, str]:
    process = begin(*arguments, before=before)
    said, _ = process.communicate(timeout=SECONDS)
    return process.returncode, said


def killed(after: float, *arguments: object) -> None:
    process = begin(*arguments)
    try:
        process.wait(after)
    except subprocess.TimeoutExpired:
        process.kill()
    process.communicate(timeout=SECONDS)


def check(folder: Path) -> int:
    done = subprocess.run([binary(), "backup", "--check", folder], capture_output=True, timeout=SECONDS)
    return done.returncode


def test_a_backup_that_is_killed_leaves_no_folder_of_its_name(house: Pippin, tmp_path: Path):
    for number in range(KILLS):
        killed(random.uniform(0, 1.5), "backup", tmp_path / f"copy-{number}", "--data", house.data)
    names = {path.name for path in tmp_path.iterdir()}
    assert all(check(tmp_path / name) == 0 for name in names if not name.endswith(".partial"))
    for name in {name for name in names if name.endswith(".partial")}:
        status, said = run("backup", tmp_path / name.removesuffix(".partial"), "--data", house.data)
        assert status == 0, said
    assert not [path for path in tmp_path.iterdir() if path.name.endswith(".partial")]


def test_a_restore_that_is_killed_leaves_an_empty_database_or_a_whole_one(house: Pippin, tmp_path: Path):
    assert run("backup", tmp_path / "copy", "--data", house.data)[0] == 0
    count = "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace"
    whole = int(database.rows(house, count)[0][0])
    for number in range(KILLS):
        name = f"killed_{number}"
        database.rows(house, f"CREATE DATABASE {name}")
        place = f"host={house.data / 'socket'} user=pippin dbname={name}"
        killed(random.uniform(0, 2), "restore", tmp_path / "copy", "--moved", "--database", place, "--master-key",
               house.data / "master-key")
        # What a killed program has left ends by itself, and rolls back.
        database.until(house, f"SELECT FROM pg_stat_activity WHERE datname = '{name}'", lambda found: not found)
        found = subprocess.run(["psql", "-Atc", count, place], capture_output=True, text=True, check=True).stdout
        assert int(found) in (0, whole), number
        database.rows(house, f"DROP DATABASE {name}")


def test_a_restore_into_a_data_directory_that_was_killed_is_begun_anew(house: Pippin, tmp_path: Path):
    assert run("backup", tmp_path / "copy", "--data", house.data)[0] == 0
    data = house.data.parent / "restored"
    data.mkdir(mode=0o711)
    (data / "master-key").write_bytes((house.data / "master-key").read_bytes())
    (data / "master-key").chmod(0o600)
    for _ in range(5):
        killed(random.uniform(0.5, 3), "restore", tmp_path / "copy", "--moved", "--data", data)
        if (data / "postgres").exists():
            break
    else:
        status, said = run("restore", tmp_path / "copy", "--moved", "--data", data)
        assert status == 0, said
    assert run("audit", "verify", "--data", data)[0] == 0
    assert not (data / "restore.partial/postgres").exists()


def test_a_full_disk_leaves_no_backup(house: Pippin, tmp_path: Path):
    limited = ("sh", "-c", 'ulimit -f 100 && exec "$@"', "sh")
    status, said = run("backup", tmp_path / "copy", "--data", house.data, before=limited)
    assert status == 1, said
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="PgBouncer does not run as root, and becomes another user")
def test_a_pooler_is_refused(house: Pippin, tmp_path: Path):
    with pooler(house, "session", "ignore_startup_parameters = options") as place:
        status, said = run("backup", tmp_path / "copy", "--database", place)
    assert (status, "Connect to PostgreSQL directly" in said, list(tmp_path.iterdir())) == (1, True, []), said
