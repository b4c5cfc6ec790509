"""Measures Pippin on this machine, beside what the machine can do at most.

    python3 bench/run.py [--runs N] [--seconds N] [--only METRIC …] [--share S] [--no-population] [--result FILE]

Everything listens on 127.0.0.1 or on a Unix socket, lives in a folder under /tmp, and is gone at the end. One request
without an answer, or with one of status 400 or more, makes the whole run fail after its table.

With --seconds 1 --runs 1 --share 0.001 everything is measured once, with a thousandth of the population: that tells
whether it still measures, and nothing of how fast Pippin is.
"""

import argparse
import dataclasses
import statistics
import sys
from collections.abc import Callable
from pathlib import Path

import limits
import report
from broker import Broker
from generator import Run
from limits import Limits, at_most
from pippin import Pippin
from population import Size
from postgres import Cluster
from seed import Seed

RESULT = Path(".build/bench.json")
STARTS = 5
# Measured again with a population, in this order: revoking ends what the others need.
POPULATED = ("code_redemption", "refresh", "introspection", "revocation")
BROKER = "broker_sign_in"
# A server is not run at its limit: what people wait is measured at this share of it.
STEADY = 0.8


def main() -> None:
    options = _options()
    limits.compile_programs()
    cluster = Cluster()
    pippin = Pippin(cluster.url(), cluster.folder)
    try:
        _say("Starting a private PostgreSQL and Pippin")
        cluster.start()
        pippin.start()
        seed = Seed(cluster, pippin, options.seconds)
        seed.plant()
        _say("Measuring the limits of this machine")
        most = limits.measure(cluster)
        limited = {
            name: limit for name, limit in _held_against(most).items() if not options.only or name in options.only
        }
        metrics = [_measure(name, limit, seed, pippin, options) for name, limit in limited.items()]
        if not options.only or BROKER in options.only:
            metrics.append(_measure_broker(most, seed, pippin, options))
        if not options.no_population:
            metrics += _measure_populated(metrics, limited, seed, pippin, options)
        ready = _ready_ms(pippin)
    finally:
        pippin.stop()
        cluster.stop()
    report.write(options.result, metrics, ready, dataclasses.asdict(most))
    print(report.table(metrics))
    for metric in metrics:
        if metric.shares:
            print(f"\n{metric.name} in ms of CPU: {metric.shares}")
    memory = max(metric.memory_mib for metric in metrics)
    print(f"\nmemory at most {memory:.1f} MiB · ready after {ready:.0f} ms · written to {options.result}")
    failed = [f"{metric.name}: {metric.errors}" for metric in metrics if metric.errors]
    if failed:
        sys.exit(f"\nRequests failed. {', '.join(failed)}")


def _held_against(most: Limits) -> dict[str, float]:
    """Each figure's limit: the steps it cannot do without, one after another on the same cores."""
    token = at_most(most.rsa_signature, most.es256_verification, most.committed_update)
    return {
        "discovery": most.page,
        "jwks": most.page,
        "sign_in_page": at_most(most.page, most.relaxed_insert),
        "console_list": at_most(most.page, most.list_read),
        "code_redemption": token,
        "refresh": token,
        "introspection": at_most(most.page, most.es256_verification, most.token_read),
        "revocation": at_most(most.es256_verification, most.committed_update),
        "password_sign_in": most.argon2id,
    }


def _measure(name: str, limit: float, seed: Seed, pippin: Pippin, options: argparse.Namespace) -> report.Metric:
    _say(f"Measuring {name}")
    pippin.forget_peak_memory()

    def drive() -> Run:
        load = seed.load(name)
        seed.settle()
        return load.drive(pippin.address, options.seconds)

    warming, runs = _warm_runs(drive, seed, options)
    memory, metric = pippin.peak_memory_mib(), report.Metric(name, warming, runs, limit, 0)
    steady = None
    if name in POPULATED:
        load = seed.load(name).paced(STEADY * metric.median)
        seed.settle()
        steady = load.drive(pippin.address, options.seconds)
    return dataclasses.replace(metric, memory_mib=memory, steady=steady)


def _warm_runs(drive: Callable[[], Run], seed: Seed, options: argparse.Namespace) -> tuple[Run, list[Run]]:
    """As a server runs between two checkpoints: after one, the first change of each page is written twice (PostgreSQL,
    full_page_writes), which a first run pays that does not count.
    """
    seed.checkpoint()
    return drive(), [drive() for _ in range(options.runs)]


def _measure_populated(
    empty: list[report.Metric], limited: dict[str, float], seed: Seed, pippin: Pippin, options: argparse.Namespace
) -> list[report.Metric]:
    """The same loads once a population was there for years, each beside its rate before."""
    before = {metric.name: metric.median for metric in empty}
    names = [name for name in POPULATED if name in before]
    if not names:
        return []
    size = Size().scaled(options.share)
    _say(f"Planting a population: {size.people:,} people with {size.tokens:,} tokens")
    seed.plant_population(size, _say)
    metrics = [_measure(name, limited[name], seed, pippin, options) for name in names]
    return [
        dataclasses.replace(metric, name=f"{metric.name}, population", before=before[metric.name]) for metric in metrics
    ]


def _measure_broker(most: Limits, seed: Seed, pippin: Pippin, options: argparse.Namespace) -> report.Metric:
    """Whole sign-ins by way of Apple: two processes, so the one under measurement until now makes room."""
    _say(f"Measuring {BROKER}")
    pippin.stop()
    broker = Broker(seed.cluster, seed.key)
    try:
        broker.start()
        broker.pippin.forget_peak_memory()

        def drive() -> Run:
            seed.settle()
            return broker.drive(options.seconds)

        warming, runs = _warm_runs(drive, seed, options)
        memory = broker.pippin.peak_memory_mib()
    finally:
        broker.stop()
        pippin.start()
    # Three signed tokens, two client secrets; the answer, the person, the code and its redemption are committed here, a
    # code and its redemption there.
    signed = [most.rsa_signature] * 3 + [most.es256_verification] * 2
    limit = at_most(*signed, *[most.committed_update] * 6)
    return report.Metric(BROKER, warming, runs, limit, memory, shares=broker.shares(options.runs))


def _ready_ms(pippin: Pippin) -> float:
    """From `pippin serve` against a running, migrated database to its first 200 from /readyz."""
    times = []
    for _ in range(STARTS):
        pippin.stop()
        times.append(pippin.start())
    return statistics.median(times)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=3, help="runs of each load (default 3)")
    parser.add_argument("--seconds", type=int, default=6, help="seconds of each run (default 6)")
    parser.add_argument("--only", nargs="+", metavar="METRIC", help="measure these alone")
    parser.add_argument(
        "--share", type=float, default=1, metavar="S", help="of a million people, to try a change in small (default 1)"
    )
    parser.add_argument("--no-population", action="store_true", help="leave out what takes a million people")
    parser.add_argument(
        "--result", type=Path, default=RESULT, metavar="FILE", help=f"where the figures go (default {RESULT})"
    )
    return parser.parse_args()


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
