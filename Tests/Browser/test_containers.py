"""Pippin as the first process of a container: process ids are small, the same each time, and all gone at once."""

import os
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from processes import Host
from server import binary
from waiting import SECONDS

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root makes namespaces")


class Container(Host):
    """A Pippin that is process 1 of a namespace of its own."""

    def begin(self) -> None:
        arguments = ["serve", "--listen", f"127.0.0.1:{self.port}", *self._place, *self.options]
        with self.outputs() as (said, log):
            self.process = subprocess.Popen(
                ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child", binary(), *arguments],
                stdin=subprocess.DEVNULL, stdout=said, stderr=log,
            )

    def kill(self) -> None:
        """Ends all of its processes at once, as the end of a container does."""
        [inside] = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        os.kill(int(inside), signal.SIGKILL)
        self.process.wait(SECONDS)
        self.process = None

    def stop(self) -> None:
        [inside] = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        os.kill(int(inside), signal.SIGTERM)
        assert self.process.wait(SECONDS) == 0
        self.process = None


@pytest.fixture
def container() -> Iterator[Container]:
    with Container.running() as container:
        yield container
        container.stop()


def test_a_container_that_was_killed_starts_again_whatever_the_lock_of_the_dead_server_says(container: Container):
    """Its number is that of the next server, and its time may be after now, where a clock was set back: `pg_ctl` takes
    the lock of the dead one for the answer of the next one."""
    lock = container.data / "postgres/postmaster.pid"
    begin = int(lock.read_text().split("\n")[2])
    for change in (0, 3600):
        container.kill()
        lines = lock.read_text().split("\n")
        assert re.match("ready", lines[7])
        lines[2] = str(int(lines[2]) + change)
        lock.write_text("\n".join(lines))

        container.start()

    assert int(lock.read_text().split("\n")[2]) < begin + 3600
