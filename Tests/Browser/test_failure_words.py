"""What commands say when PostgreSQL refuses something is a sentence, with PostgreSQL's own words."""

import re
import socket
import struct
import subprocess
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

import database
from server import ROOT, Pippin, binary, free_port
from waiting import SECONDS

pytestmark = pytest.mark.long

STATES = {
    "28P01": "refuses the password", "28000": "refuses the user", "3D000": "no database of this name",
    "53300": "no connection left", "53100": "disk", "57P03": "takes no connections yet", "42501": "lacks a right",
    "55P03": "another session holds", "08006": "connection to the database was lost", "58P01": "misses a file",
}
RAW = re.compile(r"\w+\.\w+\(|\w+\(\w+: ")
# What begins with the database itself, what reads and writes rows of teams, and what looks at its policies first.
BEGINNING = (("migrate",), ("serve", "--listen", "127.0.0.1:{port}"), ("restore", "{backup}", "--moved"))
READING = (("export", "DEMOTEAM01"), ("audit", "verify"), ("audit", "export", "DEMOTEAM01"), ("doctor",), ("apply", "{file}"))
LOOKING = (("backup", "{folder}"), ("setup-link",))


def said(*arguments: object) -> str:
    done = subprocess.run(
        [binary(), *map(str, arguments), "--resources", ROOT], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, timeout=SECONDS)
    assert done.returncode != 0, done.stdout
    assert not RAW.search(done.stdout), done.stdout
    return done.stdout


@contextmanager
def refusing(state: str) -> Iterator[int]:
    """A server that refuses every connection with a code, at a port of 127.0.0.1."""
    fields = f"SFATAL\0VFATAL\0C{state}\0Mas made up\0\0".encode()
    answer = b"E" + struct.pack("!i", len(fields) + 4) + fields
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def run() -> None:
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                with connection:
                    connection.recv(4096)
                    connection.sendall(answer)

        threading.Thread(target=run, daemon=True).start()
        yield listener.getsockname()[1]
        listener.shutdown(socket.SHUT_RDWR)


@pytest.fixture(scope="module")
def house() -> Iterator[Pippin]:
    with Pippin.running("--demo", "--simulate-apple") as house:
        file = house.folder / "registry.json"
        file.write_text('{"teams": [{"id": "DEMOTEAM01", "name": "Other"}]}')
        house.command("backup", str(house.folder / "backup"))
        yield house
        house.stop()


def filled(command: tuple[str, ...], house: Pippin, name: str) -> list[str]:
    return [word.format(file=house.folder / "registry.json", backup=house.folder / "backup",
                        folder=house.folder / f"copy-{name}", port=free_port()) for word in command]


def test_where_no_connection_is_had(house: Pippin):
    def look(case: tuple[str, tuple[str, ...]]) -> None:
        state, command = case
        with refusing(state) as port:
            place = f"host=127.0.0.1 port={port} user=pippin dbname=pippin sslmode=disable"
            text = said(*filled(command, house, state), "--database", place, "--master-key", house.data / "master-key",
                        "--data", house.folder)
            assert "as made up" in text or "starting" in text, text

    # A start waits half a minute for a database, so all of them wait together; 57P03 is waited for as long as it takes.
    cases = [(state, command) for state in STATES for command in (*BEGINNING, *READING, *LOOKING) if state != "57P03"]
    with ThreadPoolExecutor(len(STATES) * len(BEGINNING)) as pool:
        list(pool.map(look, cases))


@contextmanager
def failing(house: Pippin, function: str, result: str, state: str) -> Iterator[None]:
    """A function of the schema fails with a code meanwhile."""
    [[kept]] = database.rows(house, f"SELECT translate(pg_get_functiondef('{function}'::regproc), E'\\n', ' ')")
    database.rows(house, f"""
        CREATE OR REPLACE FUNCTION {function}() RETURNS {result} LANGUAGE plpgsql STABLE
        AS $$ BEGIN RAISE EXCEPTION 'as made up' USING ERRCODE = '{state}'; END $$;
    """)
    try:
        yield
    finally:
        database.rows(house, kept)


@pytest.mark.parametrize("state", STATES)
def test_where_a_statement_fails(house: Pippin, state: str):
    """By what every statement about a team asks for, and what says whether policies are as they were."""
    for commands, function, result in ((READING, "pippin_team", "text"), (LOOKING, "pippin_shape_faults", "SETOF text")):
        with failing(house, function, result, state):
            for command in commands:
                text = said(*filled(command, house, state), "--data", house.data)
                assert "as made up" in text and STATES[state] in text, (command, text)
    assert [line for line in house.log.read_text().splitlines() if RAW.search(line)] == []
