"""What a machine room does to a server: PostgreSQL restarts, processes are killed, ports are taken, files are wrong."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import requests

import logs
from backend import Backend, Visitor
from cast import ADA, BEN, PEOPLE, Acme
from database import rows
from processes import stop_orphan
from server import HOME, ROOT, Pippin, binary, free_port, new_folder
from waiting import SECONDS, until

sys.path.insert(0, str(ROOT / "bench"))
from postgres import Cluster

pytestmark = pytest.mark.long
CODES = 200
TEAM = Acme(return_url="http://127.0.0.1:9000/callback")


class Installation(Pippin):
    """A Pippin of one test, on its own cluster or on an operator's database."""

    def __init__(self, folder: Path, database: str | None = None):
        super().__init__(folder)
        self.database = database
        self.secrets = {person.password for person in PEOPLE}

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

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
    folder = new_folder("faults-")
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
        if database is None:
            made[-1].furnish()
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
    cluster = Cluster(kept=new_folder("cluster-"))
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()


# Under load


def test_a_restart_of_postgresql_costs_503s_and_nothing_that_was_acknowledged(install, cluster: Cluster):
    pippin = install(cluster.url())
    backend = pippin.backend()
    codes = pippin.codes(CODES)
    before, after = codes[: CODES // 4], codes[CODES // 4 :]
    redeemed = {code: backend.redeem(code).json()["refresh_token"] for code in before}
    # Not the answers: each would keep its connection open, and one address has a limited number of them.
    seen: list[tuple[int, str | None]] = []

    def see(answer: requests.Response) -> requests.Response:
        seen.append((answer.status_code, answer.headers.get("Retry-After")))
        return answer

    def redeem(code: str) -> None:
        answer = see(backend.redeem(code))
        if answer.status_code == 200:
            redeemed[code] = answer.json()["refresh_token"]

    def held_up() -> int:
        return int(cluster.sql("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'relation'"))

    with ThreadPoolExecutor(24) as pool:
        with cluster.holding("authorization_codes", "refresh_tokens"):
            work = [pool.submit(redeem, code) for code in after]
            work += [pool.submit(lambda token: see(backend.refresh(token)), token) for token in list(redeemed.values())]
            until(lambda: held_up() >= 4)
            cluster.restart()
        for future in work:
            future.result()

    assert {status for status, _ in seen} <= {200, 503}
    refused = [wait for status, wait in seen if status == 503]
    assert refused, "the restart was not felt"
    assert all(int(wait or 0) > 0 for wait in refused)
    until(lambda: requests.get(f"{pippin.address}/readyz", timeout=SECONDS).status_code == 200)
    pippin.secrets.update(redeemed.values())
    assert {backend.refresh(token).status_code for token in redeemed.values()} == {200}
    assert {backend.redeem(code).status_code for code in redeemed} == {400}
    assert {backend.redeem(code).status_code for code in codes if code not in redeemed} <= {200, 400}


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

    # Few at a time, so that most are left when it dies.
    with ThreadPoolExecutor(8) as pool:
        for code in codes:
            pool.submit(redeem, code)
        assert enough.wait(SECONDS)
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


def test_sigterm_under_load_answers_what_it_took_and_keeps_what_it_answered(install):
    pippin = install()
    backend = pippin.backend()
    codes = pippin.codes(64)
    is_answered = threading.Event()

    def redeem(code: str) -> requests.Response:
        answer = backend.redeem(code)
        is_answered.set()
        return answer

    with ThreadPoolExecutor(len(codes)) as pool:
        work = [pool.submit(redeem, code) for code in codes]
        assert is_answered.wait(SECONDS)
        pippin.stop()
    answers = [future.result() for future in work if not isinstance(future.exception(), requests.RequestException)]
    assert {answer.status_code for answer in answers} <= {200, 503}
    tokens = [answer.json()["refresh_token"] for answer in answers if answer.status_code == 200]
    assert tokens, "none of those that were under way"
    pippin.secrets.update(tokens)
    pippin.start()
    assert {backend.refresh(token).status_code for token in tokens} == {200}


def test_a_second_start_changes_nothing_and_finds_everything(install):
    pippin = install()
    backend = pippin.backend()
    token = backend.redeem(pippin.codes(1)[0]).json()["refresh_token"]
    pippin.secrets.add(token)
    pippin.stop()
    pippin.start()
    assert "migration" not in pippin.said.read_text()
    assert backend.refresh(token).status_code == 200
    assert Visitor(pippin.address, TEAM).sign_in(BEN)


# Refusals to start


def refusal(*arguments: str, prefix: tuple[str, ...] = (), environment: dict[str, str] | None = None) -> list[str]:
    """What `serve` complains of; it must end by itself, with a status of its own and nothing but its lines."""
    done = subprocess.run(
        [*prefix, binary(), "serve", *arguments], cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=SECONDS, env={**os.environ, **(environment or {})},
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
    key = Path(os.environ[HOME]) / f"faults-key-{os.getpid()}"
    if not key.exists():
        key.touch(0o600)
        key.write_text(f"faults {os.urandom(32).hex()}\n")
    return ["--database", database, "--master-key", str(key)]


def test_a_port_in_use_is_named(folder: Path, cluster: Cluster):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        [line] = refusal(*place(folder, cluster.url(), port), "--resources", str(ROOT))
    assert re.search(rf"\b{port}\b.* in use", line)


def test_a_database_that_cannot_be_reached_is_told(folder: Path):
    url = f"postgresql://pippin:hidden-secret@127.0.0.1:{free_port()}/pippin"
    *waits, line = refusal(*place(folder, url), "--resources", str(ROOT))
    assert len(waits) >= 2 and all("waiting for the database: database_unreachable" in wait for wait in waits)
    assert line.startswith("database_unreachable: ") and "database cannot be reached" in line
    assert "hidden-secret" not in "".join([*waits, line])


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
    done = subprocess.run(plan, cwd=ROOT, capture_output=True, text=True, timeout=SECONDS, env=exported)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "unchanged"), done.stdout + done.stderr
    done = subprocess.run([*plan, "--prune"], cwd=ROOT, capture_output=True, text=True, timeout=SECONDS)
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
    assert requests.get(f"{pippin.address}/readyz", timeout=SECONDS).status_code == 200
