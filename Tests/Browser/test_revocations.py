"""Many tokens to be revoked at Apple, which fails half of the time, while one of two processes is killed.

PIPPIN_REVOCATIONS says how many; 10,000 take some minutes.
"""

import html
import os
import random
import re
import shutil
import sys
import urllib.parse
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import requests

from server import ROOT, Pippin, new_folder
from waiting import SECONDS, until

sys.path.insert(0, str(ROOT / "bench"))
from postgres import Cluster

pytestmark = pytest.mark.long
COUNT = int(os.environ.get("PIPPIN_REVOCATIONS", "120"))
# Past those that a worker has under way: two who lock many jobs in an order of their own would wait for ever.
HASTE = """
    UPDATE jobs SET due_at = now() WHERE job_id IN (
        SELECT job_id FROM jobs WHERE state = 'pending' AND worker IS NULL AND due_at > now()
        LIMIT 1000 FOR UPDATE SKIP LOCKED
    )
"""
ACCOUNT = "/t/DEMOTEAM01/account/session"


class Node(Pippin):
    """One of two processes on one database, each with an Apple simulator of its own."""

    def __init__(self, folder: Path, cluster: Cluster, key: Path):
        folder.mkdir()
        super().__init__(folder, ("--demo", "--simulate-apple", "--trusted-proxy", "127.0.0.1/32"))
        self.data.mkdir()
        self.where = ["--database", cluster.url(), "--master-key", str(key)]

    @property
    def _place(self) -> list[str]:
        return [*super()._place, *self.where]

    def kill(self) -> None:
        process, self.process = self.process, None
        if process is not None:
            process.kill()
            process.wait()

    def let_apple(self, **choices: str) -> None:
        """Chooses at the desk of the simulator."""
        answer = requests.post(f"{self.url}/apple", choices, allow_redirects=False, timeout=SECONDS)
        assert answer.status_code == 303, answer.text

    def sign_in(self, number: int) -> None:
        """Comes by way of Apple, which leaves a refresh token; a hundred from one address are no flood."""
        browser = requests.Session()
        browser.headers["X-Forwarded-For"] = f"198.18.{number // 25_000}.{number // 100 % 250 + 1}"
        page = browser.get(f"{self.url}{ACCOUNT}", timeout=SECONDS)
        [way] = re.findall(r'href="(/[^"]*/apple)"', page.text)
        away = browser.get(self.url + way, allow_redirects=False, timeout=SECONDS).headers["Location"]
        there = urllib.parse.urlsplit(away)
        sheet = requests.get(f"{self.url}{there.path}?{there.query}", timeout=SECONDS).text
        fields = {name: html.unescape(value) for name, value in
                  re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', sheet)}
        assert "code" in fields, sheet
        back = requests.post(
            f"{self.url}/t/DEMOTEAM01/auth/callback/apple", fields, allow_redirects=False, timeout=SECONDS
        )
        assert back.status_code == 303, back.text
        answer = browser.get(urllib.parse.urljoin(self.url, back.headers["Location"]),
                             allow_redirects=False, timeout=SECONDS)
        assert answer.status_code < 400, answer.text


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    cluster = Cluster(kept=new_folder("cluster-"))
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()


@pytest.fixture
def nodes(cluster: Cluster) -> Iterator[list[Node]]:
    folder = new_folder("revocations-")
    key = folder / "key"
    key.write_text("1 " + os.urandom(32).hex() + "\n")
    key.chmod(0o600)
    nodes = [Node(folder / str(number), cluster, key) for number in range(2)]
    try:
        nodes[0].start()
        shutil.copy(nodes[0].data / "demo-app-key.pem", nodes[1].data)
        nodes[1].start()
        yield nodes
    finally:
        for node in nodes:
            node.kill()
        shutil.rmtree(folder, ignore_errors=True)


def test_queued_revocations_drain_with_one_receipt_each_though_a_process_is_killed(cluster: Cluster, nodes: list[Node]):
    first, _ = nodes
    # A thousand people: the oldest of more than a hundred tokens of one person are given up.
    first.let_apple(person="population")
    with ThreadPoolExecutor(4) as people:
        for done in [people.submit(first.sign_in, number) for number in range(COUNT)]:
            done.result()
    assert cluster.sql("SELECT count(*) FROM upstream_tokens").split() == [str(COUNT)]
    # Told of the first revocation, Pippin would know that the others are dead, too.
    cluster.sql("UPDATE app_ids SET notification_url = NULL WHERE team_id = 'APPLESIM00'")
    for node in nodes:
        node.let_apple(revocation="moody")

    cluster.sql("""
        WITH ending AS (UPDATE upstream_tokens SET state = 'ending' RETURNING team_id, token_id)
        INSERT INTO jobs (team_id, job_id, kind, priority, payload, due_at)
        SELECT team_id, pippin_job_id(), 'upstream.revocation', 1,
            jsonb_build_object('token', encode(token_id, 'hex')), now() FROM ending
    """)
    seed = int(os.environ.get("PIPPIN_SEED") or random.randrange(1_000_000))
    print(f"PIPPIN_SEED={seed} does the same again")
    dice = random.Random(seed)
    victim, moment = dice.choice(nodes), dice.randint(COUNT // 10, COUNT // 2)
    wait(cluster, lambda revoked: revoked >= moment)
    victim.kill()
    wait(cluster, lambda revoked: revoked == COUNT)

    receipts = cluster.sql("""
        SELECT count(*), count(DISTINCT after->>'token') FROM audit_events WHERE action = 'upstream_token.revoked'
    """)
    assert receipts.strip() == f"{COUNT}|{COUNT}"
    states = cluster.sql("SELECT DISTINCT state FROM jobs WHERE kind = 'upstream.revocation'").split()
    assert states == ["succeeded"]
    assert cluster.sql("SELECT sum(attempts) > count(*) FROM jobs WHERE kind = 'upstream.revocation'").split() == ["t"]


def wait(cluster: Cluster, is_enough) -> None:
    """Waits for so many tokens to be revoked; what failed, and what the dead one held, is tried again at once."""
    revoked = 0

    def look() -> bool:
        nonlocal revoked
        cluster.sql(HASTE)
        revoked = int(cluster.sql("SELECT count(*) FROM upstream_tokens WHERE state = 'revoked'"))
        return is_enough(revoked)

    until(look, lambda: f"{revoked} of {COUNT} tokens were revoked")
