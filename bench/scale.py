"""Measures the console's lists, searches and filters on a large installation.

    python3 bench/scale.py [--keep FOLDER] [--share S] [--only TEXT …] [--result FILE]

It has 10,000 teams, 1,000,000 users, 10,000,000 tokens and 10,000,000 audit events, half of them one team's. Planting
takes most of the time. With --keep the database stays in that folder, and the next run finds it there. With --share
0.001 a thousandth of everything is planted in seconds: that tells whether it still measures, and nothing of how fast
Pippin is.
"""

import argparse
import html
import http.client
import json
import re
import secrets
import statistics
import sys
import time
from base64 import urlsafe_b64encode
from dataclasses import asdict, dataclass
from pathlib import Path

import acme
import report
from population import CONSOLE, PEOPLE, Population, Size
from pages import Page, pages
from pippin import Pippin
from plans import SETTINGS, Asked, Plans
from postgres import Cluster

RESULT = Path(".build/bench-scale.json")
BAR_MS = 50
REQUESTS = 40
# More often than anything is done in the background meanwhile.
WATCHED = 20
# Planting writes gigabytes; with PostgreSQL's default it would be slowed by a checkpoint every few seconds.
LOADING = ("max_wal_size = '8GB'",)


@dataclass(frozen=True)
class Measured:
    name: str
    median_ms: float
    p99_ms: float
    asked: Asked


class Operator:
    """The operator of the benchmark, who owns Acme too, in a browser with one connection."""

    def __init__(self, pippin: Pippin, token: bytes):
        self.pippin = pippin
        self.fields = {"Cookie": "pippin-PIPPIN0000=" + urlsafe_b64encode(token).decode().rstrip("=")}
        self.connection = http.client.HTTPConnection("127.0.0.1", pippin.port, timeout=60)

    def get(self, address: str) -> tuple[str, float]:
        """The page and the milliseconds it took; redirections are pages too, any error ends the run."""
        begin = time.perf_counter()
        self.connection.request("GET", address, headers=self.fields)
        answer = self.connection.getresponse()
        text = answer.read().decode()
        took = (time.perf_counter() - begin) * 1000
        if answer.status >= 400 or "/auth/session" in answer.headers.get("Location", ""):
            raise RuntimeError(f"{address} answered {answer.status}:\n{text[:2000]}")
        return text, took

    def second(self, address: str) -> str:
        """The address of the page after that one; a small population may leave none, and then it is that one."""
        links = re.findall(r'href="([^"]*[?&]after=[^"]*)"', self.get(address)[0])
        return html.unescape(links[-1]) if links else address


def main() -> None:
    options = _options()
    size = Size().scaled(options.share)
    cluster = Cluster(kept=options.keep, settings=LOADING + SETTINGS)
    pippin = Pippin(cluster.url(), cluster.folder)
    try:
        cluster.start()
        is_planted = "population" in cluster.sql("SELECT nspname FROM pg_namespace")
        pippin.start()
        token = secrets.token_bytes(32)
        if not is_planted:
            _plant(cluster, pippin, size)
        _sign_in(cluster, token)
        _settle(cluster)
        wanted = [page for page in pages(size) if not options.only or any(text in page.name for text in options.only)]
        operator, plans = Operator(pippin, token), Plans(cluster)
        measured = [_measure(page, operator, plans) for page in wanted]
    finally:
        pippin.stop()
        cluster.stop()
    options.result.parent.mkdir(parents=True, exist_ok=True)
    options.result.write_text(json.dumps({
        "pages": [asdict(page) for page in measured], "size": asdict(size), "machine": report.machine(),
    }, indent=2) + "\n")
    print(_table(measured))
    slow = [page.name for page in measured if page.median_ms > BAR_MS]
    print(f"\n{len(measured)} pages, {len(slow)} above {BAR_MS} ms · written to {options.result}")


def _plant(cluster: Cluster, pippin: Pippin, size: Size) -> None:
    _say(f"Planting {size.teams:,} teams, {size.people:,} users, {size.tokens:,} tokens, {size.events:,} audit events")
    pippin.apply(acme.registry(acme.SigningKey.make(cluster.folder), ["ada@acme.example"]))
    # Nothing that a server does in the background is to meet half a population.
    pippin.stop()
    population = Population(cluster, size, _say)
    population.plant(PEOPLE + CONSOLE)
    cluster.sql("VACUUM ANALYZE", seconds=3600)
    cluster.sql("CREATE SCHEMA population")
    pippin.start()


def _sign_in(cluster: Cluster, token: bytes) -> None:
    text = Path("bench/sql/operator.sql").read_text()
    cluster.sql(text, team=acme.TEAM, token=token.hex())


def _settle(cluster: Cluster) -> None:
    """Waits for what the server still has to do: the terms that find users, and the seals of events."""
    for what, table in ("users can be found", "user_search_changes"), ("events are sealed", "audit_unsealed"):
        begin = time.monotonic()
        while int(cluster.sql(f"SELECT count(*) FROM {table}")):
            time.sleep(1)
        _say(f"  {what} after {time.monotonic() - begin:.0f} s")
    cluster.sql("VACUUM ANALYZE; CHECKPOINT", seconds=3600)


def _measure(page: Page, operator: Operator, plans: Plans) -> Measured:
    def address() -> str:
        return operator.second(page.address()) if page.is_second else page.address()

    addresses = [address()] * REQUESTS if page.is_second else [address() for _ in range(REQUESTS)]
    # A connection makes a plan for good once it has seen a statement five times; each of them has to see it.
    for text in addresses:
        operator.get(text)
    times = sorted(operator.get(text)[1] for text in addresses)
    asked = plans.watch(WATCHED, lambda: operator.get(addresses[0]))
    p99 = times[min(len(times) - 1, len(times) * 99 // 100)]
    measured = Measured(page.name, statistics.median(times), p99, asked)
    _say(f"  {page.name}: {measured.median_ms:.1f} ms")
    return measured


def _table(measured: list[Measured]) -> str:
    width = max(len(page.name) for page in measured)
    lines = [f"{'page':{width}}  median ms    p99 ms  statements  read from end to end"]
    for page in measured:
        over = "*" if page.median_ms > BAR_MS else " "
        lines.append(
            f"{page.name:{width}} {over}{page.median_ms:9.1f} {page.p99_ms:9.1f} {page.asked.statements:11d}  "
            + ", ".join(page.asked.scanned)
        )
    return "\n".join(lines)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the database there, or find it there")
    parser.add_argument("--share", type=float, default=1, help="of the population, to try a change in small (default 1)")
    parser.add_argument("--only", nargs="+", metavar="TEXT", help="measure the pages whose names hold one of these")
    parser.add_argument(
        "--result", type=Path, default=RESULT, metavar="FILE", help=f"where the figures go (default {RESULT})"
    )
    return parser.parse_args()


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
