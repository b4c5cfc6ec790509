"""PgBouncer, Debian's, between Pippin and its database."""

import os
import pwd
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests

import database
from server import ROOT, Pippin, binary, free_port, new_folder
from waiting import SECONDS
from waiting import until as wait

pytestmark = [
    pytest.mark.long,
    pytest.mark.operations,
    pytest.mark.skipif(os.geteuid() != 0, reason="PgBouncer does not run as root, and becomes another user"),
]


@contextmanager
def pooler(house: Pippin, mode: str, *settings: str) -> Iterator[str]:
    """PgBouncer before a private cluster, as a connection string."""
    folder, port = new_folder("pooler-"), free_port()
    postgres = pwd.getpwnam("postgres")
    lines = [
        "[databases]", f"pippin = host={house.data / 'socket'} user=pippin", "[pgbouncer]", "listen_addr = 127.0.0.1",
        f"listen_port = {port}", "unix_socket_dir =", "auth_type = any", f"pool_mode = {mode}", "default_pool_size = 60",
        *settings,
    ]
    file = folder / "pgbouncer.ini"
    file.write_text("\n".join(lines) + "\n")
    house.data.joinpath("socket").chmod(0o755)
    for path in (folder, file):
        os.chown(path, postgres.pw_uid, postgres.pw_gid)
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(
            ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "pgbouncer", file], stdout=log,
            stderr=log, cwd="/",
        )
    try:
        wait(lambda: "process up" in (folder / "log").read_text(), lambda: (folder / "log").read_text())
        yield f"host=127.0.0.1 port={port} user=pippin dbname=pippin sslmode=disable"
    finally:
        process.terminate()
        process.wait(SECONDS)
        house.data.joinpath("socket").chmod(0o700)


@pytest.mark.parametrize("settings", [(), ("ignore_startup_parameters = options",)])
def test_sessions_of_a_pooler_serve(settings: tuple[str, ...]):
    """O3: with what a connection begins with, or without."""
    with Pippin.running() as house:
        with pooler(house, "session", *settings) as place:
            with Pippin.running("--database", place, "--master-key", str(house.data / "master-key")) as guest:
                assert requests.get(f"{guest.url}/readyz", timeout=SECONDS).status_code == 200
                roles = database.rows(
                    house, "SELECT DISTINCT usename FROM pg_stat_activity WHERE application_name = 'pippin'"
                )
                assert roles == [["pippin"], ["pippin_server"]] or roles == [["pippin_server"], ["pippin"]]
                guest.stop()
        house.stop()


@pytest.mark.parametrize("mode", ["transaction", "statement"])
@pytest.mark.parametrize("pick", ["server_round_robin = 0", "server_round_robin = 1"])
def test_a_pooler_that_shares_sessions_is_refused(mode: str, pick: str, tmp_path: Path):
    """V49, O3: the role that a session takes would be another client's."""
    with Pippin.running() as house:
        with pooler(house, mode, pick) as place:
            for _ in range(3):
                refused = subprocess.run(
                    [binary(), "serve", "--database", place, "--master-key", house.data / "master-key", "--data",
                     tmp_path, "--listen", f"127.0.0.1:{free_port()}", "--resources", ROOT],
                    stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS, cwd="/",
                )
                assert refused.returncode == 1
                if mode == "transaction":
                    assert refused.stderr.startswith("pippin: database_role: ")
                    assert "pool_mode = session" in refused.stderr
        house.stop()
