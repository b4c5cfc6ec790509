"""Measures two checkouts in turns, and tells what became of each figure.

    python3 bench/turns.py BEFORE AFTER [--pairs N] [--runs N] [--seconds N] [--only METRIC …]

Each turn runs the checkout's own `bench/run.py` with its own release binary, without the crowd. A machine's speed
changes from minute to minute, so the two stand side by side in each pair, and what counts are medians of shares of the
limit that was measured in the same run.
"""

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path

# By how much a share of the limit may fall.
TOLERANCE = 0.05


def main() -> None:
    options = _options()
    turns: dict[Path, list[dict]] = {options.before: [], options.after: []}
    for pair in range(options.pairs):
        # Who begins changes, since the first of a pair may find the machine cooler.
        for checkout in (options.before, options.after)[:: 1 if pair % 2 == 0 else -1]:
            print(f"pair {pair + 1} of {options.pairs}: {checkout}", file=sys.stderr, flush=True)
            turns[checkout].append(_measure(checkout, options))
    fallen = _tell(_figures(turns[options.before]), _figures(turns[options.after]))
    sys.exit(1 if fallen else 0)


def _measure(checkout: Path, options: argparse.Namespace) -> dict:
    only = ["--only", *options.only] if options.only else []
    subprocess.run(
        [sys.executable, "bench/run.py", "--no-crowd", "--runs", str(options.runs), "--seconds", str(options.seconds),
         *only],
        cwd=checkout, check=True, stdout=subprocess.DEVNULL,
    )
    return json.loads((checkout / ".build/bench.json").read_text())


def _figures(turns: list[dict]) -> dict[str, tuple[float, float]]:
    """Each metric's medians over the turns: of its rate, and of its share of the limit."""
    rates: dict[str, list[tuple[float, float]]] = {}
    for turn in turns:
        for metric in turn["metrics"]:
            pair = (metric["per_second"]["median"], metric["share_of_limit"])
            rates.setdefault(metric["name"], []).append(pair)
    return {
        name: (statistics.median(rate for rate, _ in pairs), statistics.median(share for _, share in pairs))
        for name, pairs in rates.items()
    }


def _tell(before: dict[str, tuple[float, float]], after: dict[str, tuple[float, float]]) -> list[str]:
    """Prints both beside each other; the names of the figures that fell."""
    print("| metric | before /s | of limit | after /s | of limit | after : before |")
    print("|---|---|---|---|---|---|")
    fallen = []
    for name, (rate, share) in before.items():
        if name not in after:
            continue
        new_rate, new_share = after[name]
        ratio = new_share / share
        print(f"| {name} | {rate:,.0f} | {share:.0%} | {new_rate:,.0f} | {new_share:.0%} | {ratio:.2f} |")
        if ratio < 1 - TOLERANCE:
            fallen.append(name)
    if fallen:
        print(f"\nfallen by more than {TOLERANCE:.0%}: {', '.join(fallen)}")
    return fallen


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("before", type=Path, help="a checkout with a release binary")
    parser.add_argument("after", type=Path, help="another")
    parser.add_argument("--pairs", type=int, default=5, help="turns of each (default 5)")
    parser.add_argument("--runs", type=int, default=1, help="runs of each load and turn (default 1)")
    parser.add_argument("--seconds", type=int, default=4, help="seconds of each run (default 4)")
    parser.add_argument("--only", nargs="+", metavar="METRIC", help="measure these alone")
    return parser.parse_args()


if __name__ == "__main__":
    main()
