"""`pippin migrate` beside servers: what it says before it does anything, and what is left of it when it is killed."""

import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import database
from processes import Host, Writer, tokens_for
from server import ROOT, Pippin, binary
from waiting import SECONDS, until

NEXT = 1 + len(list((ROOT / "migrations").glob("*.sql")))
# The last migration of the release.
LAST = max(path.name for path in (ROOT / "migrations").glob("*.sql"))
# What the migrator is called by PostgreSQL.
MIGRATOR = "FROM pg_stat_activity WHERE datname = 'rolled' AND application_name = 'pippin' AND state <> 'idle'"

# A statement waits for a table for two seconds (LockRetry), and sign-ins behind it.
LONGEST_STALL = 2.5


@contextmanager
def in_transaction(pippin: Pippin, name: str, statements: str) -> Iterator[None]:
    """Somebody has run statements in a transaction, and goes on with it."""
    with subprocess.Popen(
        ["psql", "--no-psqlrc", "--quiet", f"--host={pippin.data / 'socket'}", "--username=pippin", name],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as other:
        other.stdin.write(f"BEGIN; {statements}; SELECT 'begun';\n")
        other.stdin.flush()
        assert any("begun" in line for line in other.stdout)
        yield
        other.stdin.close()


class Release:
    """A release that has migrations of its own, and a database of those that there are."""

    def __init__(self, house: Pippin, folder: Path):
        self.house, self.folder = house, folder
        for name in ("Templates", "Texts", "Public"):
            (folder / name).symlink_to(ROOT / name)
        shutil.copytree(ROOT / "migrations", folder / "migrations")

    def add(self, name: str, statements: str, runs_with: int = NEXT - 1, needed: str = "later") -> str:
        file = self.folder / "migrations" / f"{NEXT:04}_{name}.sql"
        file.write_text(f"-- runs-with: {runs_with:04}\n-- needed: {needed}\n{statements}\n")
        return file.name

    def begin(self, *options: str) -> subprocess.Popen:
        place = f"host={self.house.data / 'socket'} user=pippin dbname=rolled"
        return subprocess.Popen(
            [binary(), "migrate", *options, "--database", place, "--master-key", self.house.data / "master-key",
             "--data", self.folder / "data", "--resources", self.folder], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def migrate(self, *options: str) -> tuple[int, list[str]]:
        process = self.begin(*options)
        said, _ = process.communicate(timeout=SECONDS)
        return process.returncode, said.splitlines()

    def ask(self, statement: str) -> list[list[str]]:
        return database.rows(self.house, f"\\connect rolled\n{statement}")[1:]

    def until(self, statement: str, enough: Callable[[list], object] = len) -> None:
        until(lambda: enough(self.ask(statement)), lambda: f"{statement}\n{self.ask(statement)}")


@pytest.fixture
def release(tmp_path: Path) -> Iterator[Release]:
    with Pippin.running() as house:
        database.rows(house, "CREATE DATABASE rolled")
        release = Release(house, tmp_path)
        yield release
        house.stop()


def test_a_check_says_what_would_be_applied_and_changes_nothing(release: Release):
    status, said = release.migrate("--check")
    assert (status, said[0], len(said)) == (2, "would apply 0001_initial_schema.sql", NEXT + 1)
    assert release.ask("SELECT to_regclass('pippin_migrations')")== [[""]]
    assert not (release.folder / "data").exists()

    assert release.migrate()[0] == 0
    assert release.migrate("--check") == (0, ["the database is up to date"])

    name = release.add("tomorrow", "CREATE TABLE tomorrow (day date);")
    assert release.migrate("--check") == (2, [
        f"would apply {name}", "this release can serve before that",
        f"the release before it, with {LAST}, can serve after that", f"releases with {LAST} and later ones can serve after that"])
    release.add("tomorrow", "CREATE TABLE tomorrow (day date);", NEXT, "now")
    assert release.migrate("--check") == (2, [
        f"would apply {name}", "this release cannot serve before that",
        f"the release before it, with {LAST}, cannot serve after that", f"releases with {name} and later ones can serve after that"])
    assert release.ask("SELECT to_regclass('tomorrow')")== [[""]]

    assert release.migrate() == (0, [f"applied {name}"])
    (release.folder / "migrations" / name).unlink()
    status, said = release.migrate("--check")
    assert (status, said[0].startswith("pippin: schema_newer: "), name in said[0]) == (3, True, True), said
    assert release.migrate()[0] == 1

    place = release.folder / "nothing"
    (release.folder / "migrations" / LAST).write_text("changed")
    assert release.migrate("--check")[0] == 3
    assert release.migrate("--check", f"--database=host={place} user=pippin")[0] in (1, 64)


def test_nothing_is_left_of_one_that_is_killed(release: Release):
    """The server notices that the migrator is gone, and takes back what it had begun."""
    assert release.migrate()[0] == 0
    name = release.add("long", "CREATE TABLE half (day date); SELECT pg_advisory_xact_lock(1), pg_sleep(3600);")
    process = release.begin()
    release.until(f"SELECT 1 {MIGRATOR} AND query LIKE '%pg_sleep%'")
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=SECONDS)

    release.add("long", "CREATE TABLE half (day date);")
    assert release.migrate() == (0, ["pippin: waiting for another process, which is migrating the database", f"applied {name}"])
    assert release.ask("SELECT to_regclass('half')") == [["half"]]
    assert release.ask(f"SELECT 1 {MIGRATOR} AND query LIKE '%pg_sleep%'") == []


def test_an_index_is_built_again_when_the_one_who_built_it_is_killed(release: Release):
    """It is there already, but of no use, while it waits for those who might not know of it."""
    assert release.migrate()[0] == 0
    name = release.add("names.concurrent", "CREATE INDEX CONCURRENTLY IF NOT EXISTS users_names ON users (given_name);")
    valid = "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('users_names')"
    with in_transaction(release.house, "rolled", "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; SELECT 1"):
        process = release.begin()
        release.until(f"SELECT 1 {MIGRATOR} AND query LIKE '%users_names%' AND wait_event_type = 'Lock'")
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=SECONDS)
        release.until(f"SELECT 1 {MIGRATOR}", lambda rows: not rows)
        assert release.ask(valid) == [["f"]]

    assert release.migrate() == (0, [f"applied {name}"])
    assert release.ask(valid) == [["t"]]


class TimedWriter(Writer):
    """Notes when each sign-in was answered."""

    def __init__(self, host: Host):
        self.times: list[float] = []
        super().__init__(host)

    def _run(self) -> None:
        while not self.is_done.is_set():
            answer = tokens_for(self.host)
            self.times.append(time.monotonic())
            (self.acknowledged if answer.status_code == 200 else self.refused).append(answer)

    @property
    def longest(self) -> float:
        return max(later - earlier for earlier, later in zip(self.times, self.times[1:]))


@pytest.mark.long
@pytest.mark.operations
def test_sign_ins_do_not_wait_behind_a_migration_that_waits_for_a_reader(tmp_path: Path):
    with Host.running("--demo", "--simulate-apple") as host:
        release = Release(host, tmp_path)
        name = release.add("nicknames", "ALTER TABLE users ADD COLUMN nickname text;")
        writer = TimedWriter(host)
        host.wait_until(lambda: len(writer.acknowledged) > 10)
        with in_transaction(host, "pippin", "SELECT count(*) FROM users"):
            begin = time.monotonic()
            process = subprocess.Popen(
                [binary(), "migrate", "--data", host.data, "--resources", tmp_path], stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            host.wait_until(lambda: time.monotonic() - begin > 12)
            assert process.poll() is None
        said, _ = process.communicate(timeout=SECONDS)
        known = len(writer.acknowledged)
        host.wait_until(lambda: len(writer.acknowledged) > known + 10)
        writer.finish()
        host.stop()

    assert said.splitlines()[-1] == f"applied {name}"
    assert said.count("is tried again") >= 2
    assert [answer.text for answer in writer.refused] == []
    print(f"longest stall {writer.longest:.2f} s, {len(writer.acknowledged)} sign-ins")
    assert writer.longest <= LONGEST_STALL
