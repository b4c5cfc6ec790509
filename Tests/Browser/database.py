"""What PostgreSQL itself holds, asked through psql on the private cluster's socket."""

import subprocess
import time
from collections.abc import Callable

from cast import Person
from console import SYSTEM_TEAM
from server import Pippin


def rows(pippin: Pippin, statement: str, **values: str) -> list[list[str]]:
    """The rows of a statement, in which `:'name'` stands for a value."""
    named = [argument for name, value in values.items() for argument in ("--set", f"{name}={value}")]
    done = subprocess.run(
        ["psql", "--no-psqlrc", "--tuples-only", "--no-align", "--field-separator=\t", "--set=ON_ERROR_STOP=1",
         *named, f"--host={pippin.data / 'socket'}", "--username=pippin", "pippin"],
        input=statement, capture_output=True, text=True, timeout=20,
    )
    assert done.returncode == 0, done.stderr
    return [line.split("\t") for line in done.stdout.splitlines()]


def until(
    pippin: Pippin, statement: str, enough: Callable[[list[list[str]]], int], seconds: float = 60, **values: str
) -> list[list[str]]:
    """The rows of a statement once they are enough: what is written a moment after an answer."""
    deadline = time.monotonic() + seconds
    while not enough(found := rows(pippin, statement, **values)):
        assert time.monotonic() < deadline, f"waited {seconds} s for: {statement}\n{found}"
        time.sleep(0.05)
    return found


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
