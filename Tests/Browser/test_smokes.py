"""What the machine room does to a server, once each and by events alone; `make test-long` does it at random moments."""

import os
import pwd
import re
import signal
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import requests

import database
import logs
from backend import Backend, Visitor
from cast import ADA, Acme
from processes import Host, Writer, given_by_apple, hand_over, hanging, refreshed, status
from server import ROOT, binary, free_port
from waiting import SECONDS

TEAM = Acme(return_url="http://127.0.0.1:9000/callback")


@pytest.fixture(scope="module")
def server(secrets: set[str]) -> Iterator[Host]:
    with Host.running("--demo", "--simulate-apple", "--watch-templates") as server:
        server.apply(TEAM.registry())
        yield server
        server.stop()
        assert logs.leaks([server.log, *server.data.rglob("*.log")], secrets) == []
        assert logs.not_json(server.log, crashes=True) == []


@pytest.fixture
def host(server: Host) -> Host:
    if server.process is None:
        server.start()
    server.let_apple("")
    return server


def codes(host: Host, count: int, secrets: set[str]) -> list[str]:
    """Codes of a person who signs in again and again."""
    visitor = Visitor(host.url, TEAM)
    codes = [visitor.sign_in(ADA), *(visitor.code() for _ in range(count - 1))]
    secrets.update(codes)
    return codes


def test_a_trap_costs_what_was_under_way_and_the_log_says_what_and_where(host: Host):
    """V56: whatever traps in a request, all others are served a moment later."""
    postmaster, deaths, known = host.postmaster, len(host.events("worker.died")), len(logs.backtraces(host.log))
    given = given_by_apple(host).json()
    host.let_apple("silent")
    request = hanging(lambda: hand_over(host, given))
    database.until(host, "SELECT 1 FROM native_handovers WHERE settled_at IS NULL")

    host.trap("loop-0")
    died = host.wait_for("worker.died", deaths + 1)
    # Nobody is refused: a connection waits for the next worker. One that the last had taken is lost with it.
    assert requests.get(host.url + "/healthz", timeout=SECONDS).status_code == 200

    request.join(SECONDS)
    assert (died["signal"], died["level"]) == ("SIGILL", "error")
    assert int(died["uptime-milliseconds"]) > 0
    assert host.wait_for("worker.restarting", deaths + 1)["pause-milliseconds"] == "0"
    assert host.postmaster == postmaster, "the database has not noticed"
    [backtrace] = logs.backtraces(host.log)[known:]
    assert re.search(r'^Thread \d+ "loop-0" crashed:$', backtrace, re.MULTILINE), backtrace
    assert re.search(r" EventLoop\.\S+.* in pippin", backtrace), "a function"
    assert not re.search(r"rax|x29|Registers|Images", backtrace), "neither registers nor memory"


def test_a_kill_while_codes_are_redeemed_loses_no_token_and_spends_no_code_twice(host: Host, secrets: set[str]):
    backend = Backend(host.url, host.url, TEAM)
    issued = f"SELECT count(*) FROM refresh_tokens WHERE team_id = '{TEAM.id}'"
    [[before]] = database.rows(host, issued)
    early, late = codes(host, 8, secrets), codes(host, 8, secrets)
    tokens = [backend.redeem(code).json()["refresh_token"] for code in early]
    secrets.update({backend.secret, *tokens})
    with ThreadPoolExecutor(len(late)) as pool, database.held(host, "refresh_tokens"):
        answers = [pool.submit(backend.redeem, code) for code in late]
        database.until_held_up(host)
        host.kill()
        database.end_sessions(host)

    assert {type(answer.exception()) for answer in answers} == {requests.ConnectionError}

    host.start()
    assert {backend.refresh(token).status_code for token in tokens} == {200}
    assert {backend.redeem(code).status_code for code in early} == {400}
    assert {backend.redeem(code).status_code for code in late} == {200}
    assert database.rows(host, issued) == [[str(int(before) + len(early + late))]]


def test_sigterm_lets_requests_finish_and_ends_with_success(host: Host, secrets: set[str]):
    backend = Backend(host.url, host.url, TEAM)
    [code] = codes(host, 1, secrets)
    with ThreadPoolExecutor(1) as pool:
        with database.held(host, "refresh_tokens"):
            answer = pool.submit(backend.redeem, code)
            database.until_held_up(host)
            host.process.send_signal(signal.SIGTERM)
            host.wait_until(host.has_stopped_listening)
            assert host.process.poll() is None, "it did not wait"
            assert not answer.done()
        assert answer.result().status_code == 200
    secrets.update({backend.secret, answer.result().json()["refresh_token"]})
    host.stop()


def test_a_killed_postgres_is_started_again_and_nothing_acknowledged_is_lost(host: Host, secrets: set[str]):
    deaths, before = len(host.events("database.died")), host.postmaster
    writer = Writer(host)
    host.wait_until(lambda: len(writer.acknowledged) >= 3)
    host.kill_postgres()
    host.wait_for("database.started", deaths + 1)
    host.wait_until(host.is_ready)
    known = len(writer.acknowledged)
    host.wait_until(lambda: len(writer.acknowledged) > known)
    writer.finish()
    secrets.update(writer.acknowledged)

    assert host.postmaster != before
    assert {answer.status_code for answer in writer.refused} <= {503}, [answer.text for answer in writer.refused]
    answers = [refreshed(host, token) for token in writer.acknowledged]
    assert [answer.text for answer in answers if answer.status_code != 200] == []
    secrets.update(answer.json()["refresh_token"] for answer in answers)


def test_a_missing_master_key_is_not_made_anew(host: Host, tmp_path: Path):
    """V50: a folder that was not mounted, or a database that was restored without its key."""
    key = tmp_path / "data/master-key"
    place = f"host={host.data / 'socket'} user=pippin dbname=pippin"
    for command in (("serve", "--listen", f"127.0.0.1:{free_port()}"), ("audit", "verify")):
        done = subprocess.run(
            [binary(), *command, "--database", place, "--data", tmp_path / "data", "--resources", ROOT],
            cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS,
        )
        assert done.returncode == 1, done.stdout
        assert f"{key} is missing" in done.stderr
        assert not key.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has rights to give up")
def test_what_serves_is_not_root(host: Host):
    """S22: no request reaches a process with rights, whatever trap or hole it finds."""
    user = pwd.getpwnam("postgres").pw_uid
    for thread in status(host.worker):
        assert thread["Uid"].split() == [str(user)] * 4, thread["Name"]
        assert int(thread["CapPrm"], 16) == int(thread["CapEff"], 16) == int(thread["CapAmb"], 16) == 0
        assert thread["NoNewPrivs"] == "1"
