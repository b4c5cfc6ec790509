"""One of the two builds that `turns.py` compares: serves, and runs a load whenever it is told to.

    python3 …/side.py SECONDS < names of metrics, one a line

Runs in the checkout that it measures, with that checkout's own modules and release binary, and prints each run's rate.
"""

import os
import sys
from pathlib import Path

sys.path[0] = str(Path("bench").resolve())

import limits  # noqa: E402
from broker import Broker  # noqa: E402
from pippin import Pippin  # noqa: E402
from postgres import Cluster  # noqa: E402
from seed import Seed  # noqa: E402

BROKER = "broker_sign_in"


def main() -> None:
    seconds = int(sys.argv[1])
    # What the modules print is not part of the answer.
    answer = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    limits.compile_programs()
    cluster = Cluster()
    pippin = Pippin(cluster.url(), cluster.folder)
    broker: Broker | None = None
    try:
        cluster.start()
        pippin.start()
        seed = Seed(cluster, pippin, seconds)
        seed.plant()
        seed.checkpoint()
        for name in map(str.strip, sys.stdin):
            if name == BROKER and broker is None:
                pippin.stop()
                broker = Broker(cluster, seed.key)
                broker.start()
            load = None if broker else seed.load(name)
            seed.settle()
            run = load.drive(pippin.address, seconds) if load else broker.drive(seconds)
            print(run.per_second, file=answer, flush=True)
    finally:
        if broker:
            broker.stop()
        pippin.stop()
        cluster.stop()


if __name__ == "__main__":
    main()
