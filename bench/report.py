"""Turns runs into figures: a table for people, `.build/bench.json` for machines."""

import json
import os
import platform
import statistics
from dataclasses import asdict, dataclass
from pathlib import Path

from generator import Run, Shares


@dataclass(frozen=True)
class Metric:
    """One measured load: its runs after a first one that warms, one more at four fifths of their rate, and the limit it
    is held against.
    """

    name: str
    warming: Run
    runs: list[Run]
    limit_per_second: float
    memory_mib: float
    steady: Run | None = None
    # The same load before the population came.
    before: float | None = None
    # Where several work together: whose time one of them took.
    shares: Shares | None = None

    @property
    def median(self) -> float:
        return statistics.median(run.per_second for run in self.runs)

    @property
    def errors(self) -> int:
        """Of all runs, whether they count for anything else or not."""
        return sum(run.errors for run in [self.warming, *self.runs, self.steady] if run)

    def json(self) -> dict:
        rates = [run.per_second for run in self.runs]
        return {
            "name": self.name,
            "per_second": {"median": round(self.median, 1), "min": round(min(rates), 1), "max": round(max(rates), 1)},
            "p50_ms": round(statistics.median(run.p50_ms for run in self.runs), 3),
            "p99_ms": round(statistics.median(run.p99_ms for run in self.runs), 3),
            "errors": self.errors,
            "limit_per_second": round(self.limit_per_second, 1),
            "share_of_limit": round(self.median / self.limit_per_second, 3),
            "memory_mib": round(self.memory_mib, 1),
            "steady": self.steady and {
                "per_second": round(self.steady.per_second, 1), "p50_ms": self.steady.p50_ms,
                "p99_ms": self.steady.p99_ms, "errors": self.steady.errors,
            },
            "share_of_empty": self.before and round(self.median / self.before, 3),
            "cpu_ms": self.shares and {name: round(ms, 3) for name, ms in asdict(self.shares).items()},
        }


def machine() -> dict:
    names = [line.split(":", 1)[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines()
             if line.startswith("model name")]
    memory = int(Path("/proc/meminfo").read_text().split()[1])
    return {
        "cpu": names[0] if names else platform.machine(),
        "cores": os.cpu_count(),
        "memory_mib": memory // 1024,
        "kernel": platform.release(),
    }


def write(path: Path, metrics: list[Metric], ready_ms: float, limits: dict) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({
        "metrics": [metric.json() for metric in metrics],
        "memory_mib": round(max(metric.memory_mib for metric in metrics), 1),
        "ready_ms": round(ready_ms, 1),
        "limits_per_second": {name: round(rate, 1) for name, rate in limits.items()},
        "machine": machine(),
    }, indent=2) + "\n")


def table(metrics: list[Metric]) -> str:
    heads = ("metric", "median/s", "min", "max", "p50 ms", "p99 ms", "errors", "limit/s", "of limit", "MiB",
             "at 80 %/s", "p99 ms", "of empty")
    rows = [heads]
    for metric in metrics:
        shown = metric.json()
        rate = shown["per_second"]
        rows.append((
            metric.name, f"{rate['median']:,.0f}", f"{rate['min']:,.0f}", f"{rate['max']:,.0f}",
            f"{shown['p50_ms']:.2f}", f"{shown['p99_ms']:.2f}", str(shown["errors"]),
            f"{shown['limit_per_second']:,.0f}", f"{shown['share_of_limit']:.0%}", f"{shown['memory_mib']:.0f}",
            f"{metric.steady.per_second:,.0f}" if metric.steady else "",
            f"{metric.steady.p99_ms:.1f}" if metric.steady else "",
            f"{shown['share_of_empty']:.0%}" if metric.before else "",
        ))
    widths = [max(len(row[column]) for row in rows) for column in range(len(heads))]
    return "\n".join(
        "  ".join(cell.ljust(width) if column == 0 else cell.rjust(width)
                  for column, (cell, width) in enumerate(zip(row, widths)))
        for row in rows
    )
