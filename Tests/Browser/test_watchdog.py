"""A worker that gives no sign of life is ended and started again; one that is stopped with its supervisor is not."""

import os
import signal
import subprocess

import pytest

from processes import Host
from test_supervisor import Job, state

pytestmark = pytest.mark.long


def test_a_worker_that_hangs_is_named_ended_and_started_again():
    with Host.running("--watchdog", "5") as host:
        host.wait_until(host.is_ready)
        worker = host.worker
        # No part of it runs: not even the abort is noticed, so that it is killed in the end.
        os.kill(worker, signal.SIGSTOP)

        hung = host.wait_for("worker.hung")
        assert (hung["level"], hung["pid"], hung["loop"]) == ("error", str(worker), "loop-0")
        assert host.wait_for("worker.died")["pid"] == str(worker)
        host.wait_until(host.is_ready)
        assert host.worker != worker
        host.stop()


def test_ctrl_z_is_no_hang():
    """The supervisor counts the time in which it was awake."""
    with Job.running("--watchdog", "5") as job:
        job.wait_until(job.is_ready)
        both = (job.process.pid, job.worker)
        job.process.send_signal(signal.SIGTSTP)
        job.wait_until(lambda: [state(process) for process in both] == ["T", "T"])
        # Longer than the watchdog waits: the time itself is what is tested.
        subprocess.run(["sleep", "8"], check=True)
        job.process.send_signal(signal.SIGCONT)
        job.wait_until(lambda: "T" not in [state(process) for process in both])
        assert job.is_ready()

        assert (job.events("worker.hung"), job.worker) == ([], both[1])
        job.stop()
