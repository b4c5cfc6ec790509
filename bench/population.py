"""Plants a population: the teams, people, tokens, events and traces that years of use would leave behind.

Set-based SQL as the owner of a database that belongs to the benchmark. It is no command of Pippin itself, so no
installation can be flooded by mistake.
"""

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import acme
from postgres import Cluster

SQL = Path("bench/sql/population")
# Rows are loaded as a restored backup would be: nobody waits for the disk, and sorting may take memory.
HASTE = """
    SET synchronous_commit = off;
    SET maintenance_work_mem = '1GB';
    SET max_parallel_maintenance_workers = 2;
"""


@dataclass(frozen=True)
class Size:
    """How many of everything; half of all people and of what is theirs belongs to Acme."""

    teams: int = 10_000
    people: int = 1_000_000
    tokens: int = 10_000_000
    events: int = 10_000_000
    days: int = 360
    traces: int = 1_000_000
    apps: int = 500
    jobs: int = 200_000

    def scaled(self, share: float) -> "Size":
        """The same in small, to try a change."""
        if share == 1:
            return self
        counts = {name: max(100, int(count * share)) for name, count in asdict(self).items()}
        people = counts["people"] // 2 * 2
        # Each person's live token is found by counting ten tokens a person.
        return Size(**counts | {"days": self.days, "people": people, "tokens": people * (self.tokens // self.people)})


# What tokens need, and what the console needs beside it, in the order in which one leans on the other.
PEOPLE = ("shape", "teams", "people", "tokens")
CONSOLE = ("registry", "audit", "traces", "operations")


class Population:
    def __init__(self, cluster: Cluster, size: Size, say: Callable[[str], None]):
        self.cluster = cluster
        self.size = size
        self.say = say

    def plant(self, files: tuple[str, ...]) -> None:
        """Needs team Acme with its key and one person with a password."""
        numbers = {name: str(count) for name, count in asdict(self.size).items()}
        for file in (*files, "warm"):
            begin = time.monotonic()
            self.cluster.sql(HASTE + (SQL / f"{file}.sql").read_text(), seconds=3600, team=acme.TEAM, **numbers)
            self.say(f"  planted {file} in {time.monotonic() - begin:.0f} s")
