"""Signs people in by way of the Apple simulator, as browsers and an app do, and tells whose time it took.

Pippin and the simulator are two processes of the same binary on the same database, so that each has a clock of its own:
what browsers and Pippin ask of Apple goes to the one, what browsers and the app ask of Pippin to the other.
"""

import asyncio
import os
import statistics
import subprocess
import time
import urllib.parse
import urllib.request
from dataclasses import fields
from pathlib import Path

import acme
from generator import Run, Shares
from limits import BUILT
from pippin import Pippin
from postgres import Cluster
from visitor import Connection, Unexpected

TEAM = "ORCHARD001"
SIMULATOR = "APPLESIM00"
APP = "com.orchard.app"
CLIENT = "com.orchard.web"
SERVICES_ID = "com.orchard.siwa"
KEY = "ORCHARDKEY"
BASE = f"/t/{TEAM}"
BROWSERS = 64
# As many people as the simulator's population has; each has to come once before all are known.
POPULATION = 1_000
TICKS = os.sysconf("SC_CLK_TCK")


class Broker:
    """Beside whatever else is in the database: team Orchard, whose people all come by way of Apple."""

    def __init__(self, cluster: Cluster, key: acme.SigningKey):
        self.cluster = cluster
        self.key = key
        self.simulator = Pippin(cluster.url(), cluster.folder, "--simulate-apple")
        self.pippin = Pippin(cluster.url(), cluster.folder, "--simulate-apple", public_url=self.simulator.url)
        self.seen: list[Shares] = []
        self.number = 0

    def start(self) -> None:
        self.simulator.start()
        self.simulator.apply(registry(self.key))
        time.sleep(2)  # a running process learns of its new clients within a second
        back = f"{self.simulator.url}{BASE}/auth/callback/apple"
        text = Path("bench/sql/simulator.sql").read_text()
        self.cluster.sql(text, team=SIMULATOR, client=SERVICES_ID, return_url=back)
        self.pippin.start()
        chosen = urllib.parse.urlencode({"person": "population"}).encode()
        urllib.request.urlopen(f"{self.simulator.address}/apple", chosen, timeout=10).close()
        while self.number < POPULATION:
            if self.drive(1).errors:
                raise RuntimeError("not all of the simulator's population could sign in")
        self.seen.clear()

    def stop(self) -> None:
        self.pippin.stop()
        self.simulator.stop()

    def drive(self, seconds: int) -> Run:
        """One run; whose time it took is kept for `shares`."""
        form = self._token_form()
        before = self._spent()
        times, failures, took = asyncio.run(self._sign_in_many(form, seconds))
        if not times:
            raise RuntimeError(f"nobody could sign in: {failures[0] if failures else 'no time'}")
        each = (1000 * (after - begun) / len(times) for begun, after in zip(before, self._spent()))
        self.seen.append(Shares(*each))
        times.sort()
        p99 = times[min(len(times) - 1, len(times) * 99 // 100)]
        if failures:
            print(f"  {len(failures)} failed, the first: {failures[0]}")
        return Run(len(times) / took, statistics.median(times) * 1000, p99 * 1000, len(failures))

    def shares(self, runs: int) -> Shares:
        """The median of each over the last runs."""
        return Shares(*(
            statistics.median(getattr(run, field.name) for run in self.seen[-runs:]) for field in fields(Shares)
        ))

    async def _sign_in_many(self, form: str, seconds: int) -> tuple[list[float], list[str], float]:
        times: list[float] = []
        failures: list[str] = []
        begin = time.monotonic()
        end = begin + seconds

        async def browse() -> None:
            here = await Connection.open(self.pippin.port, f"localhost:{self.simulator.port}")
            there = await Connection.open(self.simulator.port, f"apple.localhost:{self.simulator.port}")
            while time.monotonic() < end:
                started = time.monotonic()
                self.number += 1
                try:
                    await _sign_in(here, there, form, self.number)
                    times.append(time.monotonic() - started)
                except Unexpected as problem:
                    failures.append(str(problem))
            here.close()
            there.close()

        await asyncio.gather(*(browse() for _ in range(BROWSERS)))
        return times, failures, time.monotonic() - begin

    def _spent(self) -> tuple[float, float, float, float]:
        """Seconds of CPU by now: Pippin's, the simulator's, PostgreSQL's with all its processes, our own."""
        own = os.times()
        return (
            _seconds(self.pippin.worker), _seconds(self.simulator.worker), self._postgresql(),
            own.user + own.system,
        )

    def _postgresql(self) -> float:
        """Its workers come and go within a run."""
        parent = (self.cluster.folder / "data/postmaster.pid").read_text().split()[0]
        children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
        return _seconds(parent, with_ended=True) + sum(_seconds(pid) for pid in children)

    def _token_form(self) -> str:
        """The app's request for its tokens, all but the code at its end."""
        url = f"{self.simulator.url}{BASE}"
        form = urllib.parse.urlencode(
            {"grant_type": "authorization_code", "redirect_uri": acme.RETURN_URL, "code": ""}
        )
        minted = subprocess.run(
            [BUILT / "mint", self.key.file, KEY, TEAM, CLIENT, url, f"{BASE}/auth/token"],
            input=f"{form}\n".encode(), capture_output=True, check=True, timeout=30,
        )
        return minted.stdout.partition(b"\r\n\r\n")[2].decode()


async def _sign_in(here: Connection, there: Connection, form: str, number: int) -> None:
    """The app's request, Apple's answer through the browser, the app's answer, and the app's tokens."""
    client = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
    answer = await here.get(_AUTHORIZE, client)
    cookies = answer.cookies
    answer = await there.get(answer.location, client)
    answer = await here.post(f"{BASE}/auth/callback/apple", answer.hidden_fields("code", "state"), client)
    answer = await here.get(answer.location, client, cookies)
    code = answer.hidden_fields("code")["code"]
    await here.post(f"{BASE}/auth/token", form + code, client)


_AUTHORIZE = f"{BASE}/auth/authorize?" + urllib.parse.urlencode({
    "client_id": CLIENT, "redirect_uri": acme.RETURN_URL, "response_type": "code", "response_mode": "form_post",
    "scope": "name email", "nonce": "n-0S6_WzA2Mj", "state": "af0ifjsldkj",
})


def registry(key: acme.SigningKey) -> dict:
    """Team Orchard, and what it has registered at the simulator; one key serves for both, which nobody should copy."""
    there = {"identifier": SERVICES_ID, "description": "Orchard", "domains": ["localhost"]}
    here = {
        "identifier": CLIENT, "description": "Orchard Web", "domains": ["127.0.0.1"],
        "returnURLs": [acme.RETURN_URL],
    }
    apple = {"teamID": SIMULATOR, "servicesID": SERVICES_ID, "keyID": KEY, "privateKeyFile": key.file.name}
    return {"teams": [
        {
            "id": SIMULATOR, "name": "Apple simulator", "mode": "sandbox",
            "appIDs": [{"identifier": APP, "description": "Orchard", "serviceIDs": [there]}],
            "keys": [{"id": KEY, "name": "Bench", "appID": APP, "publicKeyPEM": key.public_pem}],
        },
        {
            "id": TEAM, "name": "Orchard", "mode": "sandbox", "identitySources": ["apple"],
            "appIDs": [{"identifier": APP, "description": "Orchard", "apple": apple, "serviceIDs": [here]}],
            "keys": [{"id": KEY, "name": "Bench", "appID": APP, "publicKeyPEM": key.public_pem}],
        },
    ]}


def _seconds(pid: int | str, with_ended: bool = False) -> float:
    """The CPU a process has used, in user and kernel mode (proc(5), stat fields 14 and 15), and the children of it that
    have ended (16 and 17); none once it has ended itself.
    """
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return sum(map(int, fields[11:15 if with_ended else 13])) / TICKS
