"""Fills the database as months of use would, and makes the requests of each run."""

import secrets
import subprocess
import time
import urllib.parse
from base64 import urlsafe_b64encode
from collections.abc import Callable
from pathlib import Path

import acme
from population import PEOPLE as POPULATION
from population import Population, Size
from generator import THREADS, Load
from limits import BUILT
from pippin import Pippin
from postgres import Cluster
from sign_in import SignIns

SQL = Path("bench/sql")
PEOPLE = 20_000
# More requests a second than any run can send, so that no file of requests ends before its run.
FASTEST = 10_000
# An introspection writes nothing and signs nothing.
FASTEST_READING = 25_000
BASE = f"/t/{acme.TEAM}"
SIGNING_IN = [f"ada@{number}.example" for number in range(16)]


class Seed:
    def __init__(self, cluster: Cluster, pippin: Pippin, seconds: int):
        self.cluster = cluster
        self.pippin = pippin
        self.count = seconds * FASTEST
        self.count_reading = seconds * FASTEST_READING
        self.people = 0
        self.population: Population | None = None
        self.picked = 0
        self.key = acme.SigningKey.make(cluster.folder)
        self.console_token = secrets.token_bytes(32)

    def plant(self) -> None:
        """Makes team Acme through `pippin apply`, and beside it what it would take months to make."""
        self.pippin.apply(acme.registry(self.key, SIGNING_IN))
        self._add_people(PEOPLE)
        self._sql("limits.sql", people=PEOPLE)
        self._sql("console.sql")
        self._sql("operator.sql", token=self.console_token.hex())

    def plant_population(self, size: Size, say: Callable[[str], None]) -> None:
        """Adds that many people with their tokens; from now on, codes and tokens are theirs."""
        self.population = Population(self.cluster, size, say)
        self.population.plant(POPULATION)
        # Work of the server that no measurement is to pay for.
        while int(self.cluster.sql("SELECT count(*) FROM user_search_changes")):
            time.sleep(1)

    def settle(self) -> None:
        self._sql("settle.sql")

    def checkpoint(self) -> None:
        self.cluster.sql("CHECKPOINT")

    def load(self, name: str) -> Load | SignIns:
        """What drives one run of that metric; every code, token and client secret of it is new."""
        return {
            "discovery": lambda: Load("get.lua", (f"{BASE}/.well-known/openid-configuration",)),
            "jwks": lambda: Load("get.lua", (f"{BASE}/auth/keys",)),
            "sign_in_page": lambda: Load("get.lua", (self._authorize("{n}"),)),
            "console_list": lambda: Load("get.lua", (f"/console/{acme.TEAM}/app-ids", self._console_cookie)),
            "code_redemption": self._redemptions,
            "refresh": self._refreshes,
            "introspection": self._introspections,
            "revocation": self._revocations,
            "password_sign_in": self._sign_ins,
        }[name]()

    def _redemptions(self) -> Load:
        codes = self._sql("codes.sql", count=self.count, sub=self._holder)
        self._sql("traces.sql")
        form = _form(grant_type="authorization_code", redirect_uri=acme.RETURN_URL, code="")
        return self._replay("token", [form + code for code in codes])

    def _refreshes(self) -> Load:
        form = _form(grant_type="refresh_token", refresh_token="")
        return self._replay("token", [form + token for token in self._tokens(self.count)])

    def _introspections(self) -> Load:
        return self._replay("introspect", [_form(token="") + token for token in self._tokens(self.count_reading)])

    def _revocations(self) -> Load:
        """Revoking ends all a person granted to the app, so each is another person's."""
        form = _form(token_type_hint="refresh_token", token="")
        return self._replay("revoke", [form + token for token in self._tokens(self.count, of_new_people=True)])

    def _tokens(self, count: int, of_new_people: bool = False) -> list[str]:
        """Live tokens: of the population, each another person's, or else made for this run."""
        if self.population:
            self.picked += count
            return self._sql("population/pick.sql", count=count, first=self.picked, people=self.population.size.people)
        if of_new_people:
            first = self._add_people(count)
            return self._sql("tokens.sql", count=count, first=first, people=count)
        return self._sql("tokens.sql", count=count, first=1, people=PEOPLE)

    @property
    def _holder(self) -> str:
        """In SQL, whose the code of number n is."""
        if self.population:
            return f"population_sub(2 * (1 + n * 7919::bigint % {self.population.size.people // 2}))"
        return f"'000000.' || md5('person ' || 1 + n % {PEOPLE}) || '.0000'"

    def _sign_ins(self) -> SignIns:
        form = _form(grant_type="authorization_code", redirect_uri=acme.RETURN_URL, code="")
        [file] = self._mint("token", [form], lanes=1)
        _, _, body = file.read_bytes().partition(b"\r\n\r\n")
        return SignIns(SIGNING_IN, self._authorize, f"{BASE}/auth/token", body.decode())

    def _authorize(self, state: str) -> str:
        asked = urllib.parse.urlencode({
            "client_id": acme.CLIENT, "redirect_uri": acme.RETURN_URL, "response_type": "code",
            "response_mode": "form_post", "scope": "name email", "nonce": "n-0S6_WzA2Mj",
        })
        return f"{BASE}/auth/authorize?{asked}&state={state}"

    @property
    def _console_cookie(self) -> str:
        return "pippin-PIPPIN0000=" + urlsafe_b64encode(self.console_token).decode().rstrip("=")

    def _add_people(self, count: int) -> int:
        """Adds that many and returns the number of the first."""
        first = self.people + 1
        self.people += count
        self._sql("people.sql", first=first, last=self.people)
        return first

    def _replay(self, endpoint: str, forms: list[str]) -> Load:
        self._mint(endpoint, forms, lanes=THREADS)
        return Load("replay.lua", (str(self.cluster.folder / "requests"),))

    def _mint(self, endpoint: str, forms: list[str], lanes: int) -> list[Path]:
        """Writes a request for each form, with a client secret never seen before; a file for each lane."""
        files, running = [self.cluster.folder / f"requests.{lane}" for lane in range(lanes)], []
        names = [acme.KEY, acme.TEAM, acme.CLIENT, f"{self.pippin.url}{BASE}", f"{BASE}/auth/{endpoint}"]
        for lane, file in enumerate(files):
            with file.open("wb") as out:
                command = [BUILT / "mint", self.key.file, *names]
                running.append(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=out, text=True))
            # Reads all it is given before it ends, so the lanes work side by side once the pipe is written.
            running[-1].stdin.write("".join(form + "\n" for form in forms[lane::lanes]))
            running[-1].stdin.close()
        if any(process.wait(60) != 0 for process in running):
            raise RuntimeError("bench/limits/mint.c did not finish")
        return files

    def _sql(self, file: str, **variables: object) -> list[str]:
        names = {"team": acme.TEAM, "app": acme.APP, "client": acme.CLIENT, "return_url": acme.RETURN_URL}
        text = (SQL / file).read_text()
        return self.cluster.sql(text, **names, **{key: str(value) for key, value in variables.items()}).splitlines()


def _form(**fields: str) -> str:
    return urllib.parse.urlencode(fields)
