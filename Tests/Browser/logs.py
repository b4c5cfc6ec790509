"""Reads every log line a run has written, and names those that carry what no log may carry."""

import json
import re
from pathlib import Path

SHAPES = {
    "a PEM block": re.compile(r"-----BEGIN [A-Z ]+-----"),
    "a JWT": re.compile(r"eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"),
    "a cookie": re.compile(r"(?i)\b(set-)?cookie\b[\"']?\s*[:=]\s*[\"']?\S+=\S+"),
    "a password hash": re.compile(r"\$argon2id\$"),
}
SHORTEST_SECRET = 12
# What the Swift runtime writes about a process that crashed, and about a thread of it that ended meanwhile.
BACKTRACE = re.compile(r"^\n\*\*\* Signal .*?^Backtrace took [^\n]*\n\n", re.MULTILINE | re.DOTALL)
RUNTIME = re.compile(r"^swift-runtime: [^\n]*\n", re.MULTILINE)


def leaks(files: list[Path], secrets: set[str]) -> list[str]:
    """One sentence per log line that shows a secret of this run, or the shape of one."""
    known = {secret for secret in secrets if len(secret) >= SHORTEST_SECRET}
    found = []
    for file in files:
        for number, line in enumerate(file.read_text(errors="replace").splitlines(), start=1):
            found += [f"{file.name}:{number} shows {what}" for what, shape in SHAPES.items() if shape.search(line)]
            found += [f"{file.name}:{number} shows a secret of this run" for secret in known if secret in line]
    return found


def events(file: Path, name: str) -> list[dict]:
    """The lines of a log that is still written with that event; what stands after the last line's end is not whole yet."""
    whole = file.read_text(errors="replace").rpartition("\n")[0].split("\n")
    return [line for line in map(json.loads, (line for line in whole if line.startswith("{"))) if line["event"] == name]


def requests(file: Path) -> int:
    """How many requests a log tells of; a log of none would show no secret either."""
    return sum('"event":"request"' in line for line in file.read_text(errors="replace").splitlines())


def not_json(file: Path, crashes: bool = False) -> list[str]:
    """Lines of a log that a machine could not read; those of backtraces are none of them where there are crashes."""
    text = file.read_text(errors="replace")
    if crashes:
        text = BACKTRACE.sub("", RUNTIME.sub("", text))
    return [line for line in text.splitlines() if not _is_object(line)]


def backtraces(file: Path) -> list[str]:
    return BACKTRACE.findall(file.read_text(errors="replace"))


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False
