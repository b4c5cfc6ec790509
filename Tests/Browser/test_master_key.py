"""The master key of another installation, or none: nothing starts beside a database that was sealed, and nothing is
written.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from server import ROOT, binary, free_port, new_folder
from waiting import SECONDS

sys.path.insert(0, str(ROOT / "bench"))
from postgres import Cluster

pytestmark = pytest.mark.long
TEAM = "SEALED0001"


class Node:
    """A place of a server beside an operator's database, with a master key of its own."""

    def __init__(self, folder: Path, cluster: Cluster):
        folder.mkdir()
        self.cluster = cluster
        self.key = folder / "data/master-key"
        self.registry = folder / "registry.json"
        self.registry.write_text(json.dumps({"teams": [{"id": TEAM, "name": "Sealed"}]}))
        self._place = ["--database", cluster.url(), "--data", str(folder / "data"), "--resources", str(ROOT)]

    def begin(self, *arguments: str) -> subprocess.Popen:
        return subprocess.Popen(
            [binary(), *arguments, *self._place], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True,
        )

    def run(self, *arguments: str) -> tuple[int, str]:
        process = self.begin(*arguments)
        said, _ = process.communicate(timeout=SECONDS)
        return process.returncode, said

    def apply(self) -> tuple[int, str]:
        return self.run("apply", str(self.registry))

    def put(self, *keys: str) -> None:
        self.key.parent.mkdir(exist_ok=True)
        self.key.write_text("".join(f"{key}\n" for key in keys))
        self.key.chmod(0o600)

    def keys(self) -> list[str]:
        return self.key.read_text().splitlines()

    def refusals(self) -> set[str]:
        """What each command says; that none of them writes is seen on the way."""
        before = self._dump()
        told = set()
        for arguments in (
            ("serve", "--listen", f"127.0.0.1:{free_port()}"), ("apply", str(self.registry)), ("audit", "verify"),
            ("migrate",), ("doctor",), ("setup-link",),
        ):
            status, said = self.run(*arguments)
            # The check-up could not look.
            assert status == (2 if arguments == ("doctor",) else 1), f"{arguments}: {status}\n{said}"
            told.add(said.strip().splitlines()[-1])
        assert self._dump() == before
        return told

    def _dump(self) -> str:
        text = subprocess.run(
            [self.cluster.binaries / "pg_dump", "--data-only", self.cluster.url()], capture_output=True, text=True,
            check=True, timeout=SECONDS,
        ).stdout
        # pg_dump guards each of its texts by a random word.
        return "\n".join(line for line in text.splitlines() if "restrict " not in line)


def fresh_key(name: str) -> str:
    return f"{name} {os.urandom(32).hex()}"


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    cluster = Cluster(kept=new_folder("cluster-"))
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()


@pytest.fixture
def node(cluster: Cluster, tmp_path: Path) -> Iterator[Node]:
    """One that has sealed something, in a database of its own."""
    cluster.sql("DROP DATABASE IF EXISTS pippin WITH (FORCE)", database="postgres")
    cluster.sql("CREATE DATABASE pippin", database="postgres")
    node = Node(tmp_path / "node", cluster)
    status, said = node.run("migrate")
    assert status == 0, said
    status, said = node.apply()
    assert status == 0, said
    yield node


def test_a_missing_key_is_not_made_anew(node: Node):
    """V50: a folder that was not mounted, or a database that was restored without its key."""
    [key] = node.keys()
    node.key.unlink()

    [told] = node.refusals()

    assert f"{node.key} is missing" in told
    assert not node.key.exists()
    node.put(key)
    assert node.run("audit", "verify")[0] == 0


def test_another_key_of_the_same_id_is_refused(node: Node):
    """V50: both were called 1 once."""
    [key] = node.keys()
    name = key.split()[0]
    node.put(fresh_key(name))

    [told] = node.refusals()

    assert f"{node.key}: {name} is not the master key {name}" in told
    node.put(key)
    assert node.run("audit", "verify")[0] == 0


def test_a_key_of_another_installation_is_refused(node: Node, cluster: Cluster, tmp_path: Path):
    """V50: a second node that was given the database and not the key."""
    [key] = node.keys()
    other = Node(tmp_path / "other", cluster)
    [told] = other.refusals()
    assert "is missing" in told

    other.put(fresh_key("other"))
    [told] = other.refusals()
    assert f"lacks the master key {key.split()[0]}" in told

    other.put(key)
    assert other.apply()[0] == 0


def test_a_newer_key_is_put_before_the_older_and_both_are_needed(node: Node):
    """V50: what the older one sealed is there still."""
    [older] = node.keys()
    newer = fresh_key("newer")
    node.put(newer, older)
    assert node.apply()[0] == 0

    node.put(older)
    assert "lacks the master key newer" in node.refusals().pop()
    node.put(newer)
    assert f"lacks the master key {older.split()[0]}" in node.refusals().pop()


def test_a_database_that_has_noted_no_key_is_judged_by_what_it_holds(node: Node, cluster: Cluster):
    """V50: version 0.1 noted none."""
    [key] = node.keys()
    cluster.sql("DELETE FROM master_keys")
    node.put(fresh_key(key.split()[0]))
    assert "opens nothing" in node.refusals().pop()

    node.key.unlink()
    assert "is missing" in node.refusals().pop()

    node.put(key)
    assert node.apply()[0] == 0
    node.put(fresh_key(key.split()[0]))
    assert "is not the master key" in node.refusals().pop()


def test_of_two_first_starts_one_makes_the_key(cluster: Cluster, tmp_path: Path):
    """V50: two nodes of one empty database, each with a folder of its own."""
    cluster.sql("DROP DATABASE IF EXISTS pippin WITH (FORCE)", database="postgres")
    cluster.sql("CREATE DATABASE pippin", database="postgres")
    nodes = [Node(tmp_path / str(number), cluster) for number in range(2)]

    processes = [node.begin("migrate") for node in nodes]
    ends = [(process.communicate(timeout=SECONDS)[0], process.returncode) for process in processes]

    assert sorted(status for _, status in ends) == [0, 1], ends
    assert [node.key.exists() for node in nodes] == [status == 0 for _, status in ends]
    assert "is missing" in next(said for said, status in ends if status == 1)
