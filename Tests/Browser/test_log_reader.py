"""What reads the log of a server stops reading: the server goes on, in all that it does."""

import fcntl
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
import requests

from processes import Host
from waiting import SECONDS

# A line of the log of about a kilobyte.
LONG = "/t/DEMOTEAM01/" + "x" * 900


class Listened(Host):
    """A Pippin whose standard output and error are one pipe, as in a container, which a test reads when it likes."""

    def begin(self) -> None:
        self.reader, writer = os.pipe()
        fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
        self.flags = fcntl.fcntl(writer, fcntl.F_GETFL)
        self.writer = writer
        super().begin()

    @contextmanager
    def outputs(self) -> Iterator[tuple]:
        yield self.writer, self.writer

    def flood(self, kilobytes: int) -> None:
        """Has the server write that much to its log."""

        def ask(count: int) -> None:
            with requests.Session() as session:
                for _ in range(count):
                    assert session.get(self.url + LONG, timeout=SECONDS).status_code == 404

        with ThreadPoolExecutor(8) as threads:
            list(threads.map(ask, [kilobytes // 8] * 8))

    def _last_words(self) -> str:
        return "its log is read by nobody"


@pytest.fixture
def host() -> Iterator[Listened]:
    with Listened.running() as host:
        yield host
        os.close(host.reader)
        os.close(host.writer)


def test_nobody_waits_for_a_reader_of_the_log_that_has_stopped(host: Listened):
    """V89: The start is read by nobody, either: its lines fill the pipe at once."""
    host.flood(400)
    assert host.is_ready()
    assert fcntl.fcntl(host.writer, fcntl.F_GETFL) == host.flags


def test_sigterm_ends_a_server_whose_log_nobody_reads(host: Listened):
    host.flood(80)

    host.stop()
