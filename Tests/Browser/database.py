"""What PostgreSQL itself holds, asked through psql on the private cluster's socket."""

import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from cast import Person
from console import SYSTEM_TEAM
from server import Pippin
from waiting import SECONDS
from waiting import until as wait

# What PostgreSQL calls the locks that a statement asks for.
LOCKS = {"EXCLUSIVE": "ExclusiveLock", "ACCESS EXCLUSIVE": "AccessExclusiveLock"}


def rows(pippin: Pippin, statement: str, **values: str) -> list[list[str]]:
    """The rows of a statement, in which `:'name'` stands for a value."""
    named = [argument for name, value in values.items() for argument in ("--set", f"{name}={value}")]
    done = subprocess.run(
        ["psql", "--no-psqlrc", "--tuples-only", "--no-align", "--field-separator=\t", "--set=ON_ERROR_STOP=1",
         *named, f"--host={pippin.data / 'socket'}", "--username=pippin", "pippin"],
        input=statement, capture_output=True, text=True, timeout=SECONDS,
    )
    assert done.returncode == 0, done.stderr
    return [line.split("\t") for line in done.stdout.splitlines()]


def until(
    pippin: Pippin, statement: str, enough: Callable[[list[list[str]]], object] = len, **values: str
) -> list[list[str]]:
    """The rows of a statement once they are enough: what is written a moment after an answer."""
    found: list[list[str]] = []

    def look() -> bool:
        found[:] = rows(pippin, statement, **values)
        return bool(enough(found))

    wait(look, lambda: f"{statement}\n{found}")
    return found


def lapse(pippin: Pippin) -> None:
    """Lets the twenty seconds pass that a request has Apple's answer for itself, also one that died."""
    rows(pippin, """
        UPDATE upstream_requests SET claimed_until = now() WHERE claimed_until > now();
        UPDATE native_handovers SET claimed_until = created_at WHERE settled_at IS NULL;
        UPDATE upstream_announcements SET held_until = announced_at;
    """)


@contextmanager
def held(pippin: Pippin, *tables: str, mode: str = "EXCLUSIVE") -> Iterator[None]:
    """Nothing is written to tables, so that whoever wants to hangs at that point; they die before it goes on."""
    holder = subprocess.Popen(
        ["psql", "--no-psqlrc", "--quiet", f"--host={pippin.data / 'socket'}", "--username=pippin", "pippin"],
        stdin=subprocess.PIPE, text=True,
    )
    holder.stdin.write(f"BEGIN; LOCK TABLE {', '.join(tables)} IN {mode} MODE;\n")
    holder.stdin.flush()
    until(pippin, f"SELECT 1 FROM pg_locks WHERE relation = '{tables[-1]}'::regclass AND mode = '{LOCKS[mode]}' AND granted")
    try:
        yield
    finally:
        holder.stdin.close()
        holder.wait(SECONDS)


def until_held_up(pippin: Pippin, count: int = 1) -> None:
    """Waits until so many statements wait for a table that is held."""
    until(pippin, f"SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' HAVING count(*) >= {count}")


def end_sessions(pippin: Pippin) -> None:
    """Ends what a Pippin that was killed has left: once none of its sessions is there, nothing more is written."""
    until(pippin, """
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name = 'pippin'
    """, lambda found: not found)


def give_console_account(pippin: Pippin, person: Person, team: str, role: str) -> None:
    """Makes a team's user a console account with that role in the team, without the way through a mailed invitation.

    The system team gets the same person with the same password under the same login name.
    """
    statement = """
        BEGIN;
        CREATE TEMPORARY TABLE one ON COMMIT DROP AS
            SELECT sub FROM login_names WHERE team_id = :'team' AND login = :'login';
        INSERT INTO users (team_id, sub, given_name, family_name, email)
            SELECT :'system', sub, given_name, family_name, email FROM users JOIN one USING (sub)
            WHERE team_id = :'team' ON CONFLICT DO NOTHING;
        INSERT INTO login_names (team_id, login, sub) SELECT :'system', :'login', sub FROM one ON CONFLICT DO NOTHING;
        INSERT INTO passwords (team_id, sub, hash)
            SELECT :'system', sub, hash FROM passwords JOIN one USING (sub)
            WHERE team_id = :'team' ON CONFLICT DO NOTHING;
        INSERT INTO memberships (team_id, sub, role) SELECT :'team', sub, :'role' FROM one;
        COMMIT;
    """
    rows(pippin, statement, team=team, role=role, login=person.email, system=SYSTEM_TEAM)
