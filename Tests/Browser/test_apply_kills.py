"""A registry file of many people, whose `pippin apply` is killed: each team is changed as a whole or not at all."""

import json
import random
import subprocess
from pathlib import Path

import pytest

import database
from server import ROOT, Pippin, binary
from waiting import SECONDS

pytestmark = pytest.mark.long
TEAMS = ["KILLEDTEA1", "KILLEDTEA2"]
PEOPLE = 10_000
KILLS = 6
# Seconds after which one is killed at the latest: about what both teams take.
LATEST = 10


@pytest.fixture(scope="module")
def house():
    with Pippin.running() as house:
        yield house
        house.stop()


def write(folder: Path, name: str) -> Path:
    """Two teams of the same people, each with this name."""
    file = folder / f"{name}.json"
    people = [{"email": f"person{number}@orchard.example", "givenName": name} for number in range(PEOPLE)]
    file.write_text(json.dumps({"teams": [{"id": team, "name": name, "users": people} for team in TEAMS]}))
    return file


def apply(house: Pippin, file: Path, kill_after: float | None = None) -> None:
    """Applies a file, or kills the program after a time; it may have ended before."""
    process = subprocess.Popen(
        [binary(), "apply", file, "--data", house.data, "--resources", ROOT], stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )
    try:
        _, said = process.communicate(timeout=kill_after or SECONDS)
        assert process.returncode == 0, said
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate(timeout=SECONDS)


def names(house: Pippin) -> dict[str, list[tuple[str, int]]]:
    """The names of each team's people, with how many have them, once nothing of a killed program is left."""
    database.until(
        house, "SELECT FROM pg_stat_activity WHERE query LIKE '%unnest%' AND backend_xid IS NOT NULL AND pid <> pg_backend_pid()",
        lambda found: not found)
    found = database.rows(house, "SELECT team_id, given_name, count(*) FROM users GROUP BY 1, 2")
    return {team: [(name, int(count)) for of, name, count in found if of == team] for team in TEAMS}


def test_a_killed_apply_changes_each_team_as_a_whole_or_not_at_all(house: Pippin, tmp_path: Path):
    apply(house, write(tmp_path, "Before"))
    assert names(house) == {team: [("Before", PEOPLE)] for team in TEAMS}
    seen = "Before"
    for number in range(KILLS):
        name = f"After{number}"
        apply(house, write(tmp_path, name), random.uniform(0, LATEST))
        for team, found in names(house).items():
            assert found in ([(seen, PEOPLE)], [(name, PEOPLE)]), (team, found)
        # What is left of it is done by the next.
        apply(house, write(tmp_path, name))
        assert names(house) == {team: [(name, PEOPLE)] for team in TEAMS}
        seen = name
