"""`pippin doctor` beside a running Pippin, where Apple says nothing: its stand-in is named and not there."""

import subprocess
from collections.abc import Callable

import pytest

from cast import Acme, SigningKey
from server import ROOT, Pippin, binary
from waiting import SECONDS

TEAM = "DOCTORTM01"


@pytest.fixture
def doctor(pippin: Pippin) -> Callable[..., tuple[int, str]]:
    def ask(*options: str) -> tuple[int, str]:
        done = subprocess.run(
            [binary(), "doctor", *options, "--simulate-apple", "--listen", f"127.0.0.1:{pippin.port}",
             "--public-url", pippin.url, "--data", str(pippin.data), "--resources", str(ROOT)],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS,
        )
        return done.returncode, done.stdout + done.stderr

    return ask


def test_apples_silence_is_wrong_once_a_team_is_connected(pippin: Pippin, doctor: Callable[..., tuple[int, str]]):
    team = Acme(return_url="http://127.0.0.1:9/callback", key=SigningKey("DOCTORKEY1"), id=TEAM)
    pippin.apply(team.registry())
    status, said = doctor("--team", TEAM)
    assert (status, "note   Apple: Apple does not answer" in said) == (0, True), said

    key = SigningKey("DOCTORKEY2")
    (pippin.folder / "doctor.p8").write_text(key.private_pem)
    registry = team.registry()
    registry["teams"][0]["appIDs"][0]["apple"] = {
        "teamID": "APPLESIM00", "servicesID": "com.acme.siwa", "keyID": key.id, "privateKeyFile": "doctor.p8",
    }
    pippin.apply(registry)

    for options in [("--team", TEAM), ()]:
        status, said = doctor(*options)
        assert (status, "WRONG  Apple: Apple does not answer" in said) == (1, True), said
