"""What a machine room does to a server: PostgreSQL restarts, processes are killed, ports are taken, files are wrong."""

import atexit
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import requests

import logs
from backend import Backend, Visitor
from cast import ADA, BEN, PEOPLE, Acme
from database import rows
from server import ROOT, Pippin, binary, free_port

sys.path.insert(0, str(ROOT / "bench"))
from postgres import Cluster

CODES = 200
TEAM = Acme(return_url="http://127.0.0.1:9000/callback")


class Installation(Pippin):
    """A Pippin of one test, on its own cluster or on an operator's database."""

    def __init__(self, folder: Path, database: str | None = None):
        super().__init__(folder)
        self.database = database
        self.address = f"http://127.0.0.1:{self.port}"
        self.secrets = {person.password for person in PEOPLE}

    @property
    def _place(self) -> list[str]:
        return [*super()._place, *storage(self.database)]

    def kill(self) -> None:
        process, self.process = self.process, None
        process.kill()
        process.wait()

    def backend(self) -> Backend:
        backend = Backend(self.address, self.url, TEAM)
        self.secrets.add(backend.secret)
        return backend

    def codes(self, count: int) -> list[str]:
        """Codes of a person who signs in again and again."""
        visitor = Visitor(self.address, TEAM)
        codes = [visitor.sign_in(ADA), *(visitor.code() for _ in range(count - 1))]
        self.secrets.update(codes)
        return codes

    def read_log(self) -> None:
        """Every line a machine can read, none that shows a secret."""
        assert logs.leaks([self.log, *self.data.rglob("*.log")], self.secrets) == []
        assert logs.not_json(self.log) == []


@pytest.fixture
def folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="pippin-faults-"))
    folder.chmod(0o755)  # a private PostgreSQL runs as an unprivileged user, who has to pass through
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def install(folder: Path) -> Iterator[Callable[..., Installation]]:
    """Makes Pippins with team Acme; at the end each is stopped well, and its log is read."""
    made: list[Installation] = []

    def make(database: str | None = None) -> Installation:
        place = folder / str(len(made))
        place.mkdir()
        made.append(Installation(place, database))
        made[-1].start()
        made[-1].apply(TEAM.registry())
        return made[-1]

    yield make
    try:
        for pippin in made:
            pippin.stop()
            pippin.read_log()
    finally:
        for pippin in made:
            if pippin.process is not None:
                pippin.kill()
            stop_orphan(pippin.data)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """An operator's PostgreSQL."""
    cluster = Cluster()
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()


def stop_orphan(data: Path) -> None:
    """Ends the private PostgreSQL that a killed Pippin may have left behind."""
    for file in data.rglob("postmaster.pid"):
        try:
            os.kill(int(file.read_text().split("\n")[0]), signal.SIGINT)
        except (ProcessLookupError, ValueError):
            pass


# Under load


def test_a_restart_of_postgresql_costs_503s_and_nothing_that_was_acknowledged(install, cluster: Cluster):
    pippin = install(cluster.url())
    backend = pippin.backend()
    codes = pippin.codes(CODES)
    redeemed: dict[str, str] = {}
    # Not the answers: each would keep its connection open, and one address has a limited number of them.
    seen: list[tuple[int, str | None]] = []
    is_over = threading.Event()

    def see(answer: requests.Response) -> None:
        seen.append((answer.status_code, answer.headers.get("Retry-After")))

    def redeem(code: str) -> None:
        time.sleep(codes.index(code) / CODES * 2)  # spread over two seconds, the restart in their midst
        answer = backend.redeem(code)
        see(answer)
        if answer.status_code == 200:
            redeemed[code] = answer.json()["refresh_token"]

    def refresh() -> None:
        while not is_over.is_set():
            for token in list(redeemed.values()):
                see(backend.refresh(token))

    with ThreadPoolExecutor(24) as pool:
        refreshing = [pool.submit(refresh) for _ in range(4)]
        redeeming = [pool.submit(redeem, code) for code in codes]
        time.sleep(1)
        with cluster.holding("authorization_codes", "refresh_tokens"):
            time.sleep(0.3)  # so that requests are under way when it stops
            cluster.restart()
        for future in redeeming:
            future.result()
        time.sleep(1)
        is_over.set()
        for future in refreshing:
            future.result()

    assert {status for status, _ in seen} <= {200, 503}
    refused = [wait for status, wait in seen if status == 503]
    assert refused, "the restart was not felt"
    assert all(int(wait or 0) > 0 for wait in refused)
    assert seen[-1][0] == 200, "it did not come back"
    pippin.secrets.update(redeemed.values())
    assert len(redeemed) > CODES / 4
    assert {backend.refresh(token).status_code for token in redeemed.values()} == {200}
    assert {backend.redeem(code).status_code for code in redeemed} == {400}
    assert requests.get(f"{pippin.address}/readyz", timeout=5).status_code == 200


def test_a_kill_while_codes_are_redeemed_loses_no_token_and_spends_no_code_twice(install):
    pippin = install()
    backend = pippin.backend()
    codes = pippin.codes(CODES)
    answered: list[tuple[str, str]] = []
    enough = threading.Event()

    def redeem(code: str) -> None:
        try:
            answer = backend.redeem(code)
        except requests.RequestException:
            return  # killed on the way
        if answer.status_code == 200:
            answered.append((code, answer.json()["refresh_token"]))
        if len(answered) >= CODES // 8:
            enough.set()

    with ThreadPoolExecutor(CODES) as pool:
        for code in codes:
            pool.submit(redeem, code)
        assert enough.wait(30)
        pippin.kill()

    pippin.secrets.update(token for _, token in answered)
    assert CODES // 8 <= len(answered) < CODES, "the kill came too late to tell anything"
    pippin.start()
    assert {backend.refresh(token).status_code for _, token in answered} == {200}
    again = {code: backend.redeem(code).status_code for code in codes}
    assert {again[code] for code, _ in answered} == {400}
    assert set(again.values()) <= {200, 400}
    # By now every code was redeemed, before the kill or after it, and has issued one token.
    assert rows(pippin, "SELECT count(*) FROM refresh_tokens") == [[str(CODES)]]


def test_sigterm_lets_requests_finish_and_ends_with_success(install):
    pippin = install()
    [code] = pippin.codes(1)
    body = pippin.backend().form(grant_type="authorization_code", code=code, redirect_uri=TEAM.return_url).encode()
    head = (
        f"POST /t/{TEAM.id}/auth/token HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n"
        "Content-Type: application/x-www-form-urlencoded\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", pippin.port), timeout=20) as slow:
        slow.sendall(head.encode() + body[:100])
        time.sleep(0.3)
        pippin.process.send_signal(signal.SIGTERM)
        time.sleep(1)
        with pytest.raises(OSError):
            socket.create_connection(("127.0.0.1", pippin.port), timeout=1).close()
        assert pippin.process.poll() is None, "it did not wait"
        slow.sendall(body[100:])
        answer = slow.recv(65536).decode()
    assert answer.startswith("HTTP/1.1 200 ")
    assert '"refresh_token"' in answer
    pippin.stop()


def test_sigterm_under_load_answers_what_it_took_and_keeps_what_it_answered(install):
    pippin = install()
    backend = pippin.backend()
    codes = pippin.codes(64)
    with ThreadPoolExecutor(len(codes)) as pool:
        work = [pool.submit(backend.redeem, code) for code in codes]
        time.sleep(0.05)
        pippin.stop()
    answers = [future.result() for future in work if not isinstance(future.exception(), requests.RequestException)]
    assert {answer.status_code for answer in answers} <= {200, 503}
    tokens = [answer.json()["refresh_token"] for answer in answers if answer.status_code == 200]
    assert tokens, "the end came too early to tell anything"
    pippin.secrets.update(tokens)
    pippin.start()
    assert {backend.refresh(token).status_code for token in tokens} == {200}


def test_a_second_start_is_quick_and_finds_everything(install):
    pippin = install()
    backend = pippin.backend()
    token = backend.redeem(pippin.codes(1)[0]).json()["refresh_token"]
    pippin.secrets.add(token)
    pippin.stop()
    begin = time.monotonic()
    pippin.start()
    assert time.monotonic() - begin < 15
    assert backend.refresh(token).status_code == 200
    assert Visitor(pippin.address, TEAM).sign_in(BEN)


# Refusals to start


def refusal(*arguments: str, prefix: tuple[str, ...] = (), environment: dict[str, str] | None = None) -> list[str]:
    """What `serve` complains of; it must end by itself, with a status of its own and nothing but its lines."""
    done = subprocess.run(
        [*prefix, binary(), "serve", *arguments], cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=60, env={**os.environ, **(environment or {})},
    )
    lines = done.stderr.splitlines()
    assert done.returncode in (1, 64), done.stdout + done.stderr
    assert lines and all(line.startswith("pippin: ") for line in lines), done.stderr
    return [line.removeprefix("pippin: ") for line in lines]


def place(folder: Path, database: str | None = None, port: int | None = None) -> list[str]:
    return ["--listen", f"127.0.0.1:{port or free_port()}", "--data", str(folder / "data"), *storage(database)]


def storage(database: str | None) -> list[str]:
    """An operator's database is used with one master key, whichever test comes first."""
    if database is None:
        return []
    key = Path(tempfile.gettempdir()) / f"pippin-faults-key-{os.getpid()}"
    if not key.exists():
        key.touch(0o600)
        key.write_text(f"faults {os.urandom(32).hex()}\n")
        atexit.register(key.unlink)
    return ["--database", database, "--master-key", str(key)]


def test_a_port_in_use_is_named(folder: Path, cluster: Cluster):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        [line] = refusal(*place(folder, cluster.url(), port), "--resources", str(ROOT))
    assert re.search(rf"\b{port}\b.* in use", line)


def test_a_database_that_cannot_be_reached_is_told(folder: Path):
    url = f"postgresql://pippin:hidden-secret@127.0.0.1:{free_port()}/pippin"
    [line] = refusal(*place(folder, url), "--resources", str(ROOT))
    assert "database cannot be reached" in line
    assert "hidden-secret" not in line


def test_every_wrong_option_is_told_at_once():
    lines = refusal(
        "--listen", "nowhere", "--public-url", "ftp://example.com", "--trusted-proxy", "10.0.0.0/99",
        "--log-level", "loud", "--tls-cert", "alone.pem", "--colour", "red",
    )
    for named in ("--listen", "--public-url", "--trusted-proxy", "--log-level", "--tls-cert", "--colour"):
        assert sum(named in line for line in lines) == 1, f"{named}: {lines}"


def test_what_is_for_trials_is_not_served_to_the_network():
    lines = refusal(
        "--resources", str(ROOT), "--demo", "--simulate-apple", "--listen", "0.0.0.0:8080", "--public-url",
        "http://localhost:8080",
    )
    assert [line.split()[0] for line in lines] == ["--demo", "--simulate-apple"]
    assert all("--listen" in line for line in lines)


def test_a_wrong_environment_is_told_too():
    [line] = refusal("--resources", str(ROOT), environment={"PIPPIN_PUBLIC_URL": "http://example.com/path"})
    assert "http://example.com/path" in line


def test_what_apply_removes_is_said_on_its_command_line_alone(install):
    """What somebody exported once, for one run, must not make the next one destructive."""
    pippin = install()
    file = pippin.folder / "team.json"
    team = TEAM.registry()["teams"][0]
    file.write_text(json.dumps({"teams": [{key: team[key] for key in ("id", "name", "mode")} | {"keys": []}]}))
    plan = [binary(), "apply", str(file), "--dry-run", *pippin._place]
    exported = {**os.environ, "PIPPIN_PRUNE": "1", "PIPPIN_RESET_CREDENTIALS": "1"}
    done = subprocess.run(plan, cwd=ROOT, capture_output=True, text=True, timeout=60, env=exported)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "unchanged"), done.stdout + done.stderr
    done = subprocess.run([*plan, "--prune"], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2, done.stdout + done.stderr


def test_a_broken_template_is_named_by_line_and_column(folder: Path, cluster: Cluster):
    resources = folder / "resources"
    for name in ("Templates", "Texts", "Public", "migrations"):
        shutil.copytree(ROOT / name, resources / name)
    broken = resources / "Templates/hosted/sign-in.html"
    before, _, after = broken.read_text().partition("{{appName}}")
    broken.write_text(before + "{{app Name}}" + after)
    [line] = refusal(*place(folder, cluster.url()), "--resources", str(resources))
    position = f"{before.count(chr(10)) + 1}:{len(before.rpartition(chr(10))[2] + '{{') + 1}"
    assert f"hosted/sign-in.html:{position}: " in line


def test_missing_postgresql_is_told_with_its_package(folder: Path):
    """PostgreSQL's programs are hidden by an empty folder over them, seen by this one process."""
    hide = ("unshare", "--mount", *(() if os.geteuid() == 0 else ("--user", "--map-root-user")))
    if subprocess.run([*hide, "true"], capture_output=True).returncode != 0:
        pytest.skip("no namespaces here to hide PostgreSQL in")
    script = 'mount -t tmpfs none /usr/lib/postgresql && exec "$0" "$@"'
    [line] = refusal(
        *place(folder), "--resources", str(ROOT), prefix=(*hide, "sh", "-c", script), environment={"PATH": "/bin"}
    )
    assert "postgresql-15" in line


def test_a_second_server_on_the_same_data_is_refused(install):
    pippin = install()
    [line] = refusal("--listen", f"127.0.0.1:{free_port()}", "--data", str(pippin.data), "--resources", str(ROOT))
    assert "already being served" in line
    assert requests.get(f"{pippin.address}/readyz", timeout=5).status_code == 200
