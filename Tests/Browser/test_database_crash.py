"""PostgreSQL is killed with all it has not written to the disk: what a browser takes along from Pippin is still good."""

import os
import signal
from contextlib import suppress
from pathlib import Path

from processes import Host
from test_kills import Victim, Visit, fields


def backends(host: Host) -> dict[int, str]:
    """The processes of the private PostgreSQL, by what they do."""
    postmaster = host.postmaster
    children = Path(f"/proc/{postmaster}/task/{postmaster}/children").read_text().split()
    return {int(child): Path(f"/proc/{child}/cmdline").read_text() for child in children}


def test_a_browser_that_has_left_for_apple_comes_back_though_the_database_crashed():
    """Apple tells the name once, in the answer that this browser brings."""
    with Victim.running("--demo", "--simulate-apple") as host:
        host.wait_until(host.has_started)
        visit = Visit(host)
        page = visit.begin()
        # What is committed without waiting for the disk is written by this process, in its own time.
        [writer] = [process for process, name in backends(host).items() if "walwriter" in name]
        os.kill(writer, signal.SIGSTOP)
        location = visit.leave(page)
        for process in [host.postmaster, *backends(host)]:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        host.wait_for("database.started")
        host.wait_until(host.is_ready)

        visit.come_back(location)

        assert '"firstName":"Rita"' in fields(visit.return_().text)["user"].replace(" ", "")
        host.stop()
