"""Whole answers, header fields and all, as they were last looked at: `make snapshots` takes what is true now."""

import pytest
import requests

import snapshots
from server import Pippin
from waiting import SECONDS

pytestmark = pytest.mark.quick

# One page of each kind.
CONSOLE = {"app-ids": "app-ids", "missing": "app-ids/com.acme.nowhere"}
HOSTED = {
    "sign-in": "auth/authorize?response_type=code&client_id=com.acme.web&redirect_uri=http://127.0.0.1:9/callback",
    "discovery": ".well-known/openid-configuration",
}


def test_whole_answers(story_team, pippin: Pippin, secrets, request: pytest.FixtureRequest):
    console, team = story_team("SNAPSHOTS1")
    known = {f"localhost:{pippin.port}": "HOST", console.email: "olga@acme.example"}
    member, visitor = requests.Session(), requests.Session()
    for cookie in console.page.context.cookies():
        member.cookies.set(cookie["name"], cookie["value"])
    answers = {
        f"console-{name}": get(member, f"{pippin.url}/console/{team.id}/{path}".rstrip("/"))
        for name, path in CONSOLE.items()
    }
    answers |= {
        f"hosted-{name}": get(visitor, f"{pippin.url}/t/{team.id}/{path}") for name, path in HOSTED.items()
    }
    answers["protocol-token"] = visitor.post(f"{pippin.url}/t/{team.id}/auth/token", {"client_id": "x"}, timeout=SECONDS)

    rewrite = request.config.getoption("--rewrite-snapshots")
    differences = [
        snapshots.difference(name, snapshots.text(answer, known), rewrite=rewrite) for name, answer in answers.items()
    ]
    wrong = "\n\n".join(filter(None, differences))
    assert not wrong, f"\n{wrong}\n\nIf that is meant: make snapshots"


def get(session: requests.Session, address: str) -> requests.Response:
    answer = session.get(address, headers={"Accept-Language": "en", "User-Agent": "snapshots"}, timeout=SECONDS)
    assert answer.history == [] or answer.url.count("/interactions/")
    return answer
