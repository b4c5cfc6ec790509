"""A primary and a standby: one goes, the other is promoted, and sign-ins go on without a restart."""

import os
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from processes import Host, Writer, refreshed
from server import ROOT, free_port, new_folder

sys.path.insert(0, str(ROOT / "bench"))
from postgres import Cluster

pytestmark = [pytest.mark.long, pytest.mark.operations]


class Member(Cluster):
    """A PostgreSQL on a port of 127.0.0.1, which can be one of two."""

    def __init__(self):
        self.port = free_port()
        super().__init__(kept=new_folder("member-"), settings=self._own)

    @property
    def _own(self) -> tuple[str, ...]:
        return ("listen_addresses = '127.0.0.1'", f"port = {self.port}", "shared_buffers = '64MB'")

    def sql(self, text: str, database: str = "pippin", **more: str) -> str:
        return super().sql(text, database=database, **more)

    def url(self, role: str | None = None, database: str = "pippin") -> str:
        return f"postgresql://postgres@127.0.0.1:{self.port}/{database}"

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def processes(self) -> list[int]:
        """The postmaster, and then the others."""
        postmaster = int((self.data / "postmaster.pid").read_text().split()[0])
        children = Path(f"/proc/{postmaster}/task/{postmaster}/children").read_text().split()
        return [postmaster, *map(int, children)]

    def follow(self, primary: "Member") -> None:
        """Begins as the synchronous standby of a primary."""
        self._run("pg_basebackup", "--pgdata", self.data, "--dbname", primary.url(database="postgres"),
                  "--write-recovery-conf", "--checkpoint", "fast")
        with (self.data / "postgresql.conf").open("a") as settings:
            settings.write(f"unix_socket_directories = '{self.folder}'\n")
            settings.writelines(f"{setting}\n" for setting in self._own)
        self.start()
        primary.sql("ALTER SYSTEM SET synchronous_standby_names = '*'; SELECT pg_reload_conf()")

    def rejoin(self, primary: "Member") -> None:
        """Comes back as a standby after it was stopped in order."""
        (self.data / "standby.signal").touch()
        with (self.data / "postgresql.conf").open("a") as settings:
            settings.write(f"primary_conninfo = '{primary.url(database='postgres')}'\n")
        self.start()

    def promote(self) -> None:
        self._run("pg_ctl", "promote", "--pgdata", self.data, "--wait")

    def freeze(self) -> None:
        """It keeps its connections, takes new ones, and says nothing."""
        for process in self.processes:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGSTOP)

    def halt(self) -> None:
        """Stops in order, so that the standby has everything."""
        self._run("pg_ctl", "stop", "--pgdata", self.data, "--mode", "fast", "--wait")

    def end(self) -> None:
        if (self.data / "postmaster.pid").exists():
            for process in self.processes:
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
        shutil.rmtree(self.folder, ignore_errors=True)


@pytest.fixture
def members() -> Iterator[tuple[Member, Member]]:
    first, second = Member(), Member()
    try:
        first.start()
        second.follow(first)
        yield first, second
    finally:
        first.end()
        second.end()


def place(*members: Member) -> str:
    ports = ",".join(str(member.port) for member in members)
    return f"host={','.join('127.0.0.1' for _ in members)} port={ports} user=postgres dbname=pippin"


def go_on(host: Host, writer: Writer, second: Member, name: str) -> None:
    """Promotes the second, and waits until somebody has signed in there."""
    begin = time.monotonic()
    second.promote()
    known = len(writer.acknowledged)
    host.wait_until(lambda: len(writer.acknowledged) > known + 1)
    print(f"{name}: {time.monotonic() - begin:.1f} s from the promotion to the second sign-in")


@pytest.mark.parametrize("fate", [Member.freeze, Member.halt], ids=["frozen", "stopped"])
def test_sign_ins_go_on_at_a_promoted_standby(members: tuple[Member, Member], fate: Callable[[Member], None]):
    """O5, O9: nothing that was acknowledged is lost."""
    first, second = members
    with Host.running("--demo", "--simulate-apple", "--database", place(first, second)) as host:
        writer = Writer(host)
        host.wait_until(lambda: len(writer.acknowledged) >= 5)
        fate(first)
        go_on(host, writer, second, fate.__name__)
        if fate is Member.halt:
            # It is the first of the list, and takes connections again, but no changes.
            first.rejoin(second)
            second.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'pippin'")
            known = len(writer.acknowledged)
            host.wait_until(lambda: len(writer.acknowledged) > known + 5)
        host.wait_until(host.is_ready)
        writer.finish()
        if fate is Member.halt:
            host.stop()
            host.start()
        assert {answer.status_code for answer in writer.refused} <= {503}, [answer.text for answer in writer.refused]
        assert [token for token in writer.acknowledged if refreshed(host, token).status_code != 200] == []
        host.stop()


def test_a_server_starts_beside_a_silent_one(members: tuple[Member, Member]):
    """O5: the one that is named first takes connections and says nothing."""
    first, second = members
    with Host.running("--demo", "--simulate-apple", "--database", place(first, second)) as host:
        host.stop()
        first.freeze()
        second.promote()
        host.start()
        writer = Writer(host)
        host.wait_until(lambda: len(writer.acknowledged) >= 3)
        writer.finish()
        host.stop()
