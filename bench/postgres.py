"""A private PostgreSQL for one benchmark, as docs/running.md advises: initdb's defaults, so fsync and synchronous commits
are on, but with a quarter of the memory for pages, and checkpoints that come by time.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ACCOUNT = "nobody"


class Cluster:
    """Lives in a folder of its own under /tmp, on a Unix socket there, and is gone after `stop`.

    A cluster in a folder that is named stays there, and a later one in the same folder finds it as it was left.
    """

    def __init__(self, binaries: Path | None = None, kept: Path | None = None, settings: tuple[str, ...] = ()):
        self.binaries = binaries or _newest_binaries()
        self.is_kept = kept is not None
        self.settings = settings
        self.folder = kept or Path(tempfile.mkdtemp(prefix="pippin-bench-", dir="/tmp"))
        self.folder.mkdir(exist_ok=True)
        self.folder.chmod(0o755)
        if os.geteuid() == 0:
            shutil.chown(self.folder, ACCOUNT)

    def start(self) -> None:
        data = self.folder / "data"
        if data.exists():
            self._run("pg_ctl", "start", "--pgdata", data, "--wait", "--log", self.folder / "log")
            return
        self._run("initdb", "--pgdata", data, "--auth", "trust", "--username", "postgres",
                  "--encoding", "UTF8", "--locale", "C.UTF-8")
        with (data / "postgresql.conf").open("a") as settings:
            settings.write(f"listen_addresses = ''\nunix_socket_directories = '{self.folder}'\n")
            settings.write(f"shared_buffers = '{_memory_mib() // 4}MB'\nmax_wal_size = '4GB'\n")
            settings.writelines(f"{setting}\n" for setting in self.settings)
        self._run("pg_ctl", "start", "--pgdata", data, "--wait", "--log", self.folder / "log")
        self.sql("CREATE DATABASE pippin", database="postgres")

    def restart(self) -> None:
        """Ends every connection at once, as an administrator in a hurry does, and comes back."""
        self._run("pg_ctl", "restart", "--pgdata", self.folder / "data", "--mode", "fast", "--wait",
                  "--log", self.folder / "log")

    @contextmanager
    def holding(self, *tables: str) -> Iterator[None]:
        """Lets nobody else read or write them, half a minute at most or until the server stops."""
        lock = f"BEGIN; LOCK TABLE {', '.join(tables)}; SELECT pg_sleep(30)"
        holder = subprocess.Popen(
            [self.binaries / "psql", "--no-psqlrc", "--quiet", "--command", lock, self.url()],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        try:
            yield
        finally:
            holder.kill()
            holder.wait()

    def stop(self) -> None:
        if (self.folder / "data/postmaster.pid").exists():
            self._run("pg_ctl", "stop", "--pgdata", self.folder / "data", "--mode", "fast", "--wait")
        if not self.is_kept:
            shutil.rmtree(self.folder, ignore_errors=True)

    def url(self, role: str | None = None, database: str = "pippin") -> str:
        """Reaches a database as its owner, or under a role that cannot log in by itself."""
        options = f"&options=-c%20role%3D{role}" if role else ""
        return f"postgresql://postgres@/{database}?host={self.folder}{options}"

    def sql(self, text: str, database: str = "pippin", seconds: int = 120, **variables: str) -> str:
        """Runs SQL as the owner; `variables` are psql's `:'name'`."""
        named = [f"--set={name}={value}" for name, value in variables.items()]
        done = subprocess.run(
            [self.binaries / "psql", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align",
             "--set=ON_ERROR_STOP=1", *named, self.url(database=database)],
            input=text, capture_output=True, text=True, timeout=seconds,
        )
        if done.returncode != 0:
            raise RuntimeError(f"psql: {done.stderr}")
        return done.stdout

    def _run(self, program: str, *arguments: object) -> None:
        demote = {"user": ACCOUNT, "group": "nogroup", "extra_groups": []} if os.geteuid() == 0 else {}
        done = subprocess.run(
            [str(self.binaries / program), *map(str, arguments)], cwd=self.folder, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE if program == "initdb" else subprocess.DEVNULL, stderr=subprocess.STDOUT,
            text=True, timeout=120, **demote,
        )
        if done.returncode != 0:
            raise RuntimeError(f"{program} ended with {done.returncode}: {done.stdout}")


def _newest_binaries() -> Path:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
    if not found:
        raise RuntimeError("no PostgreSQL in /usr/lib/postgresql: run scripts/install bench")
    return found[-1]


def _memory_mib() -> int:
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20
