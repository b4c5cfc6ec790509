"""What a page asks PostgreSQL: each statement with its plan, as the server ran it (auto_explain)."""

import re
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from postgres import Cluster

SETTINGS = (
    "session_preload_libraries = 'auto_explain'",
    "auto_explain.log_min_duration = -1",
    "log_line_prefix = '%m [%p] '",
)
STATEMENT = re.compile(r"LOG:  duration: [\d.]+ ms  plan:\n(.*?)(?=^\d{4}-\d\d-\d\d )", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Asked:
    """How many statements a page took, and the tables that were read from end to end."""

    statements: int
    scanned: tuple[str, ...]


class Plans:
    """Watches the log of a cluster that has `SETTINGS`."""

    def __init__(self, cluster: Cluster):
        self.cluster = cluster
        # Reading a table of a page or two from end to end is what an index would cost.
        self.large = set(cluster.sql("SELECT relname FROM pg_class WHERE relkind = 'r' AND reltuples > 500").split())

    def watch(self, times: int, ask: Callable[[], object]) -> Asked:
        """Has `ask` called that often; what the server does beside it falls out, being done less often."""
        self._log(0)
        start = self._file.stat().st_size
        for _ in range(times):
            ask()
        self._log(-1)
        with self._file.open("rb") as log:
            log.seek(start)
            text = log.read().decode(errors="replace")
        counts, scanned = Counter(), set()
        for body in STATEMENT.findall(text + "9999-01-01 "):
            query, _, plan = body.partition("\n\t")
            query = re.sub(r"\s+", " ", body.split("Query Text: ", 1)[-1].split("(cost=")[0])
            if "set_config(" in query and "FROM" not in query:
                continue
            counts[query] += 1
            scanned |= set(re.findall(r"Seq Scan on (\w+)", body)) & self.large
        return Asked(sum(count // times for count in counts.values()), tuple(sorted(scanned)))

    @property
    def _file(self) -> Path:
        return self.cluster.folder / "log"

    def _log(self, milliseconds: int) -> None:
        self.cluster.sql(f"ALTER SYSTEM SET auto_explain.log_min_duration = {milliseconds}")
        self.cluster.sql("SELECT pg_reload_conf()")
        # Idle sessions take a setting when they wake up.
        time.sleep(0.3)
