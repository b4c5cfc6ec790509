"""The last release and this one serve beside each other on one database, and an operator can go back."""

import subprocess
from pathlib import Path

import pytest
import requests

from balanced import MANY, Balancer, Node, SignIns, balanced, needs_haproxy
from processes import APP, TEAM
from server import ROOT
from waiting import SECONDS, until

# From the last release to this one and back, with a time in which both serve, twice.
PHASES = 5


def last_release() -> Path:
    """Builds it where it is not there yet; what it says goes to the log of the test."""
    done = subprocess.run([ROOT / "scripts/previous-release"], stdout=subprocess.PIPE, text=True, check=True)
    return Path(done.stdout.strip())


class Roll:
    """A load balancer, its nodes, and people who sign in there all the time."""

    def __init__(self, balancer: Balancer, nodes: list[Node], sign_ins: SignIns):
        self.balancer, self.nodes, self.sign_ins = balancer, nodes, sign_ins
        self.seen = self.checked = 0

    def replace(self, nodes: list[Node], release: Path) -> None:
        for node in nodes:
            node.replace(release)
            until(lambda: self.balancer.is_up(node))

    def go_on(self) -> None:
        """Waits until the next part of the sign-ins is done, all of it since the nodes are what they are."""
        known = self.sign_ins.good
        until(lambda: self.sign_ins.good >= known + MANY / PHASES, lambda: self.sign_ins.failed[:3])

    def expect_earlier_tokens(self) -> None:
        """Tokens of the part before are good at every node: all of them, or the latest thousand, since a user has 2,000 at most."""
        tokens = self.sign_ins.tokens[self.seen:][-MANY:]
        self.seen = len(self.sign_ins.tokens)
        self.checked += len(tokens)
        assert len(tokens) >= MANY / PHASES
        for number, given in enumerate(tokens):
            node = self.nodes[number % len(self.nodes)]
            url = f"http://127.0.0.1:{node.port}{TEAM}"
            # The one of the balancer is the name that all nodes know.
            headers = {"Host": f"localhost:{node.balancer}", "X-Forwarded-For": f"10.200.{number >> 8 & 255}.{number & 255}"}
            fields = {"client_id": APP, "grant_type": "refresh_token", "refresh_token": given["refresh_token"]}
            answer = requests.post(f"{url}/auth/token", fields, headers=headers, timeout=SECONDS)
            assert answer.status_code == 200, answer.text
            headers["Authorization"] = f"Bearer {given['access_token']}"
            answer = requests.get(f"{url}/auth/userinfo", headers=headers, timeout=SECONDS)
            assert answer.status_code == 200, answer.text


@pytest.mark.long
@pytest.mark.operations
@needs_haproxy
def test_no_sign_in_fails_on_the_way_to_this_release_and_back():
    last = last_release()
    with balanced(5, last) as (balancer, nodes):
        sign_ins = SignIns(f"http://localhost:{balancer.port}")
        roll = Roll(balancer, nodes, sign_ins)
        try:
            roll.go_on()
            # As docs/upgrading.md has it: the new program migrates while the old one serves.
            nodes[0].ask(ROOT, "migrate")
            roll.go_on()
            roll.replace(nodes[:1], ROOT)
            roll.go_on()
            roll.replace(nodes[1:], ROOT)
            roll.expect_earlier_tokens()
            roll.go_on()
            roll.replace(nodes[:1], last)
            roll.go_on()
            roll.replace(nodes[1:], last)
            roll.expect_earlier_tokens()
            roll.go_on()
        finally:
            sign_ins.finish()
        roll.expect_earlier_tokens()

        assert (sign_ins.failed[:3], sign_ins.good >= MANY) == ([], True)
        print(f"{sign_ins.good} sign-ins, the tokens of {roll.checked} of them held")
        for release in (last, ROOT):
            said = nodes[0].ask(release, "audit", "verify")
            assert said and all(": whole, " in line for line in said.splitlines()), said
