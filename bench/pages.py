"""The lists, searches and filters of the console, as addresses to ask for."""

import hashlib
import random
import urllib.parse
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import acme
from population import Size

TEAM = f"/console/{acme.TEAM}"
OPERATOR = "/console/operator"


@dataclass(frozen=True)
class Page:
    """One page: its name in the table, and an address, another one for each request where that matters."""

    name: str
    address: Callable[[], str]
    # Whether what is measured is the page after the first, reached by its link.
    is_second: bool = False


def pages(size: Size) -> list[Page]:
    """Every list of the console, whole, by each of its filters and from its second page on."""
    return _users(size) + _audit(size) + _traces(size) + _registry(size) + _operator(size)


def _users(size: Size) -> list[Page]:
    here = f"{TEAM}/users"
    return [
        Page("users", _fixed(here)),
        Page("users, page 2", _fixed(here), is_second=True),
        Page("users by email, one", lambda: _with(here, q=f"ada.lovelace{_person(size)}@mail")),
        Page("users by email, many", _fixed(_with(here, q="ada."))),
        Page("users by first letter", _fixed(_with(here, q="m"))),
        Page("users by name", _fixed(_with(here, q="Kira Evans"))),
        Page("users by full name, many", _fixed(_with(here, q="ben moor"))),
        Page("users by family name", _fixed(_with(here, q="lovelace"))),
        Page("users by family name, page 2", _fixed(_with(here, q="lovelace")), is_second=True),
        Page("users by sub", lambda: _with(here, q=_sub(size))),
        Page("users, nobody found", _fixed(_with(here, q="zzzz"))),
        Page("user with tokens, sessions, history", lambda: f"{here}/{_sub(size)}"),
    ]


def _audit(size: Size) -> list[Page]:
    here = f"{TEAM}/audit"
    today = datetime.now(UTC).date()
    return [
        Page("audit", _fixed(here)),
        Page("audit, page 2", _fixed(here), is_second=True),
        Page("audit by actor's sub", lambda: _with(here, actor=_sub(size))),
        Page("audit by actor's name", _fixed(_with(here, actor="Kira Evans"))),
        Page("audit by actor's email", lambda: _with(here, actor=f"owner{random.randint(1, 99)}@example.com")),
        Page("audit by action, many", _fixed(_with(here, action="sign_in.completed"))),
        Page("audit by action, few", _fixed(_with(here, action="app_id.updated"))),
        Page("audit by action, none", _fixed(_with(here, action="key.revoked"))),
        Page("audit by target", lambda: _with(here, target=_sub(size), kind="user")),
        Page("audit by address", lambda: _with(here, ip=_ip(_person(size)))),
        Page("audit by network", lambda: _with(here, ip="10.3.0.0/16")),
        Page("audit by outcome", _fixed(_with(here, outcome="refused"))),
        Page("audit by day", lambda: _with(here, **_days(today, random.randint(10, 300)))),
        Page("audit by word, many", _fixed(_with(here, q="password"))),
        Page("audit by word, one", lambda: _with(here, q=_digest("request", random.randint(1, size.events))[:16])),
        Page("audit by two words", _fixed(_with(here, q="com.acme.app granted"))),
        Page("audit by two words, page 2", _fixed(_with(here, q="com.acme.app granted")), is_second=True),
        Page("audit by actor and outcome", lambda: _with(here, actor=_sub(size), outcome="refused")),
        Page("audit by action and day", lambda: _with(here, action="token.revoked", **_days(today, 200))),
        Page("audit by word and network", _fixed(_with(here, q="password", ip="10.3.0.0/16"))),
        Page("audit by word and address", lambda: _with(here, q="password", ip=_ip(_person(size)))),
        Page("audit by word and actor", lambda: _with(here, q="password", actor=_sub(size))),
        Page("audit by word and action", _fixed(_with(here, q="com.acme.app", action="token.revoked"))),
        Page("audit by action and outcome, none", _fixed(_with(here, action="sign_in.completed", outcome="refused"))),
    ]


def _traces(size: Size) -> list[Page]:
    here = f"{TEAM}/traces"
    today = datetime.now(UTC).date()
    return [
        Page("traces", _fixed(here)),
        Page("traces, page 2", _fixed(here), is_second=True),
        Page("traces by client", _fixed(_with(here, app=acme.CLIENT))),
        Page("traces by client, none", _fixed(_with(here, app="com.acme.play1.web"))),
        Page("traces by outcome", _fixed(_with(here, outcome="failed"))),
        Page("traces by cause", _fixed(_with(here, cause="code_used"))),
        Page("traces by cause and client", _fixed(_with(here, cause="code_used", app=acme.CLIENT))),
        Page("traces by person", lambda: _with(here, person=_sub(size))),
        Page("traces by day", lambda: _with(here, **_days(today, random.randint(2, 20)))),
        Page("traces by reference", lambda: _with(here, reference=_digest("trace", 200 * random.randint(1, 999) + 182)[:16])),
    ]


def _registry(size: Size) -> list[Page]:
    return [
        Page("overview", _fixed(TEAM)),
        Page("App IDs", _fixed(f"{TEAM}/app-ids")),
        Page("App IDs, page 2", _fixed(f"{TEAM}/app-ids"), is_second=True),
        Page("App IDs by text", _fixed(_with(f"{TEAM}/app-ids", q="com.acme.ride"))),
        Page("Service IDs", _fixed(f"{TEAM}/service-ids")),
        Page("Service IDs by text", _fixed(_with(f"{TEAM}/service-ids", q="Acme Web 7"))),
        Page("keys", _fixed(f"{TEAM}/keys")),
        Page("keys, page 2", _fixed(f"{TEAM}/keys"), is_second=True),
        Page("keys by text", _fixed(_with(f"{TEAM}/keys", q="Backend 12"))),
        Page("email sources", _fixed(f"{TEAM}/email-sources")),
        Page("members", _fixed(f"{TEAM}/members")),
        Page("notifications", _fixed(f"{TEAM}/notifications")),
        Page("notifications, page 2", _fixed(f"{TEAM}/notifications"), is_second=True),
        Page("notifications by state", _fixed(_with(f"{TEAM}/notifications", state="dead"))),
        Page("notifications by state, none", _fixed(_with(f"{TEAM}/notifications", state="pending"))),
        Page("notifications by type", _fixed(_with(f"{TEAM}/notifications", type="account-delete"))),
        Page("notifications by person", lambda: _with(f"{TEAM}/notifications", q=_sub(size))),
    ]


def _operator(size: Size) -> list[Page]:
    teams, jobs, mailbox = f"{OPERATOR}/teams", f"{OPERATOR}/jobs", f"{OPERATOR}/mailbox"
    return [
        Page("teams", _fixed("/console")),
        Page("operator, teams", _fixed(teams)),
        Page("operator, teams, page 2", _fixed(teams), is_second=True),
        Page("operator, teams by name", _fixed(_with(teams, q="Lumen"))),
        Page("operator, teams by id", lambda: _with(teams, q=f"T{random.randint(1, size.teams - 1):09}")),
        Page("operator, jobs", _fixed(jobs)),
        Page("operator, jobs, page 2", _fixed(jobs), is_second=True),
        Page("operator, jobs by state", _fixed(_with(jobs, state="dead"))),
        Page("operator, jobs by state, none", _fixed(_with(jobs, state="running"))),
        Page("operator, jobs by kind", _fixed(_with(jobs, kind="mail.send"))),
        Page("operator, jobs by kind, none", _fixed(_with(jobs, kind="no.such.kind"))),
        Page("operator, jobs by team", lambda: _with(jobs, team=f"T{random.randint(1, 999):09}")),
        Page("operator, jobs by team and state", _fixed(_with(jobs, team=acme.TEAM, state="dead"))),
        Page("operator, mailbox", _fixed(mailbox)),
        Page("operator, mailbox, page 2", _fixed(mailbox), is_second=True),
        Page("operator, mailbox by address", lambda: _with(mailbox, q=f"person{random.randint(1, size.jobs)}@")),
        Page("operator, mailbox by address, many", _fixed(_with(mailbox, q="person1"))),
        Page("operator, health", _fixed(OPERATOR)),
    ]


def _fixed(address: str) -> Callable[[], str]:
    return lambda: address


def _with(address: str, **parameters: str) -> str:
    return f"{address}?{urllib.parse.urlencode(parameters)}"


def _person(size: Size) -> int:
    """Somebody of Acme's."""
    return 2 * random.randint(1, size.people // 2)


def _sub(size: Size) -> str:
    return f"000000.{_digest('population', _person(size))}.0000"


def _digest(prefix: str, number: int) -> str:
    return hashlib.md5(f"{prefix} {number}".encode()).hexdigest()


def _ip(person: int) -> str:
    return f"10.{person // 65536 % 256}.{person // 256 % 256}.{person % 256}"


def _days(today: datetime, back: int) -> dict[str, str]:
    day = today - timedelta(days=back)
    return {"from": day.isoformat(), "to": day.isoformat()}
