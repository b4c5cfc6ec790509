"""Whole answers of the server as text that two runs agree on: status, header fields, body."""

import difflib
import re
from pathlib import Path

import requests

FOLDER = Path(__file__).parent / "Snapshots"
# Made anew by every answer, or by every run.
IGNORED = {"date", "content-length", "connection", "keep-alive"}
VOLATILE = [
    (re.compile(r"(/assets/[a-z-]+)[.-][0-9A-Za-z_-]{6,}(\.[a-z]+)"), r"\1.HASH\2"),
    (re.compile(r'(name="(?:csrf|restart)" value=")[^"]+'), r"\1TOKEN"),
    (re.compile(r"(Set-Cookie: [^=]+=)[^;]+"), r"\1VALUE"),
    (re.compile(r"000000\.[0-9a-f]{32}\.0000"), "SUB"),
    (re.compile(r"(/audit/events/)[0-9a-f-]+"), r"\1EVENT"),
    (re.compile(r"\b20\d\d-\d\d-\d\dT[0-9:.]+Z"), "MOMENT"),
    (re.compile(r"\b\d{1,2} [A-Z][a-z]{2,3} 20\d\d, \d\d:\d\d UTC"), "MOMENT"),
    (re.compile(r"\b20\d\d-\d\d-\d\d\b"), "DAY"),
    (re.compile(r"\b\d{1,2} [A-Z][a-z]{2,3} 20\d\d\b"), "DAY"),
    (re.compile(r"(/auth/interactions/)[^/\"]+"), r"\1ATTEMPT"),
    (re.compile(r"(apple-developer-domain-association|fingerprint)\S+[0-9a-f]{64}"), r"\1 DIGEST"),
    (re.compile(r"\b[0-9a-f]{64}\b"), "DIGEST"),
    (re.compile(r"\b[0-9a-f]{16}\b"), "REQUEST"),
    (re.compile(r"nonce-[A-Za-z0-9+/_=-]+"), "nonce-NONCE"),
]


def text(answer: requests.Response, known: dict[str, str]) -> str:
    """The answer, with what differs from run to run replaced; `known` replaces what this run alone has."""
    fields = sorted(
        f"{name.title()}: {value}" for name, value in answer.raw.headers.items() if name.lower() not in IGNORED
    )
    whole = "\n".join([f"{answer.status_code}", *fields, "", answer.text.rstrip("\n"), ""])
    for value, name in known.items():
        whole = whole.replace(value, name)
    for shape, name in VOLATILE:
        whole = shape.sub(name, whole)
    return whole


def difference(name: str, found: str, *, rewrite: bool) -> str:
    """What differs from the file of that name, as a unified diff; empty when nothing does, or it was rewritten."""
    file = FOLDER / f"{name}.txt"
    kept = file.read_text() if file.exists() else ""
    if rewrite and found != kept:
        FOLDER.mkdir(exist_ok=True)
        file.write_text(found)
        return ""
    lines = difflib.unified_diff(kept.splitlines(), found.splitlines(), f"Snapshots/{name}.txt", "the answer now", lineterm="")
    return "\n".join(lines)
