"""An app's backend and its people, without a screen: for tests that need hundreds of codes, or many at once."""

import html
import re
import time
import urllib.parse

import jwt
import requests

from cast import Acme, Person
from waiting import SECONDS

class Backend:
    """Redeems and refreshes as team Acme's app does. May be used from many threads."""

    def __init__(self, base: str, issuer: str, team: Acme):
        self.endpoint = f"{base}/t/{team.id}/auth"
        self.team = team
        now = int(time.time())
        claims = {"iss": team.id, "iat": now, "exp": now + 3600, "aud": f"{issuer}/t/{team.id}", "sub": team.client_id}
        self.secret = jwt.encode(claims, team.key.private_pem, algorithm="ES256", headers={"kid": team.key.id})

    def redeem(self, code: str) -> requests.Response:
        return self._post(grant_type="authorization_code", code=code, redirect_uri=self.team.return_url)

    def refresh(self, token: str) -> requests.Response:
        return self._post(grant_type="refresh_token", refresh_token=token)

    def revoke(self, token: str) -> requests.Response:
        return self._post("revoke", token=token)

    def form(self, **fields: str) -> str:
        return urllib.parse.urlencode({"client_id": self.team.client_id, "client_secret": self.secret, **fields})

    def _post(self, address: str = "token", /, **fields: str) -> requests.Response:
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        return requests.post(f"{self.endpoint}/{address}", self.form(**fields), headers=kind, timeout=SECONDS)


class Visitor:
    """A person in a browser of their own, who signs in once and then only confirms."""

    def __init__(self, base: str, team: Acme):
        self.base = base
        self.team = team
        self.session = requests.Session()

    def sign_in(self, person: Person) -> str:
        """The first code: the password, and the consent sheet where it comes."""
        page = self._submit(self.authorize(), email=person.email, password=person.password, decision="continue")
        return self._code(self._submit(page, email_choice="share", decision="continue"))

    def code(self) -> str:
        return self._code(self._submit(self.authorize(), decision="continue"))

    def forget_password(self, person: Person) -> None:
        """Asks for a link by mail, as anybody can."""
        [recovery] = re.findall(r'href="([^"]+/recovery)"', self.authorize())
        self._submit(self._text(self.session.get(self.base + recovery, timeout=SECONDS)), email=person.email)

    def authorize(self) -> str:
        asked = {
            "client_id": self.team.client_id, "redirect_uri": self.team.return_url, "response_type": "code",
            "response_mode": "form_post", "scope": "name email", "state": "s",
        }
        return self._text(self.session.get(f"{self.base}/t/{self.team.id}/auth/authorize", params=asked, timeout=SECONDS))

    def _submit(self, page: str, **typed: str) -> str:
        """Sends the form of a page, with what it holds and what was typed."""
        [action] = re.findall(r'<form method="post" action="([^"]+)"', page)
        kept = re.findall(r'<input[^>]*name="([^"]+)"[^>]* value="([^"]*)"', page)
        fields = {name: html.unescape(value) for name, value in kept} | typed
        return self._text(self.session.post(self.base + html.unescape(action), fields, timeout=SECONDS))

    @staticmethod
    def _text(answer: requests.Response) -> str:
        assert answer.status_code == 200, f"{answer.url} answered {answer.status_code}: {answer.text[:500]}"
        return answer.text

    @staticmethod
    def _code(page: str) -> str:
        [code] = re.findall(r'name="code" value="([^"]+)"', page)
        return code
