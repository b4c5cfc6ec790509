"""Compares two builds, run by run, and tells what became of each figure.

    python3 bench/turns.py BEFORE AFTER [--pairs N] [--seconds N] [--only METRIC …]

Both serve at the same time, each with a PostgreSQL of its own, and are loaded in turns. A machine's speed changes from
minute to minute, so what counts is the median of the ratios of two runs that follow one another.
"""

import argparse
import statistics
import subprocess
import sys
from pathlib import Path

METRICS = (
    "discovery", "jwks", "sign_in_page", "console_list", "code_redemption", "refresh", "introspection", "revocation",
    "password_sign_in",
    # Last: for it, the server that the others need makes room.
    "broker_sign_in",
)
# By how much a figure may fall.
TOLERANCE = 0.05


class Side:
    """A checkout that serves."""

    def __init__(self, checkout: Path, seconds: int):
        self.process = subprocess.Popen(
            [sys.executable, Path(__file__).resolve().parent / "side.py", str(seconds)],
            cwd=checkout, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )

    def run(self, metric: str) -> float:
        """A run's rate, in requests a second."""
        print(metric, file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"{self.process.args[1]} ended with {self.process.wait()} at {metric}")
        return float(line)

    def end(self) -> None:
        self.process.stdin.close()
        self.process.wait()


def main() -> None:
    options = _options()
    sides = [Side(checkout, options.seconds) for checkout in (options.before, options.after)]
    fallen = []
    print("| metric | before /s | after /s | after : before | quartiles |\n|---|---|---|---|---|", flush=True)
    try:
        for metric in options.only or METRICS:
            pairs = _measure(metric, sides, options.pairs)
            ratios = [after / before for before, after in pairs]
            low, ratio, high = statistics.quantiles(ratios, n=4)
            before, after = (statistics.median(rates) for rates in zip(*pairs))
            print(f"| {metric} | {before:,.0f} | {after:,.0f} | {ratio:.2f} | {low:.2f} to {high:.2f} |", flush=True)
            if ratio < 1 - TOLERANCE:
                fallen.append(metric)
    finally:
        for side in sides:
            side.end()
    if fallen:
        sys.exit(f"\nfallen by more than {TOLERANCE:.0%}: {', '.join(fallen)}")


def _measure(metric: str, sides: list[Side], pairs: int) -> list[tuple[float, float]]:
    """The rates of each pair: before, after."""
    for side in sides:
        side.run(metric)  # warms it
    measured = []
    for number in range(pairs):
        # Who begins changes, since the first of a pair may find the machine cooler.
        order = (0, 1) if number % 2 == 0 else (1, 0)
        rates = {index: sides[index].run(metric) for index in order}
        measured.append((rates[0], rates[1]))
    return measured


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("before", type=Path, help="a checkout with a release binary")
    parser.add_argument("after", type=Path, help="another")
    parser.add_argument("--pairs", type=int, default=15, help="runs of each (default 15)")
    parser.add_argument("--seconds", type=int, default=3, help="seconds of each run (default 3)")
    parser.add_argument("--only", nargs="+", metavar="METRIC", help="measure these alone")
    return parser.parse_args()


if __name__ == "__main__":
    main()
