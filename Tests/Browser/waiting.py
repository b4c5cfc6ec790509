"""How the tests wait: for something that happens, and so long that only what hangs fails."""

import time
from collections.abc import Callable
from typing import TypeVar

SECONDS = 600
# Playwright looks again by itself; what it does not find within this time fails.
PATIENCE_MS = SECONDS * 1000
PAUSE = 0.05

Found = TypeVar("Found")


def until(look: Callable[[], Found], tell: Callable[[], object] = lambda: "it never was so") -> Found:
    """Looks again and again until there is something to see, and returns it."""
    deadline = time.monotonic() + SECONDS
    while not (found := look()):
        assert time.monotonic() < deadline, f"waited {SECONDS} s: {tell()}"
        time.sleep(PAUSE)
    return found
