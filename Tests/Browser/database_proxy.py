"""The way to a PostgreSQL, which can be cut, held up, and mended."""

import select
import socket
import threading
from contextlib import suppress
from pathlib import Path

from waiting import SECONDS


class DatabaseProxy:
    """Passes on what comes over a Unix socket in `folder` to the one in another folder."""

    def __init__(self, folder: Path, there: Path):
        folder.mkdir()
        self.folder = folder
        self.there = there / ".s.PGSQL.5432"
        self.flows = threading.Event()
        self.lock = threading.Lock()
        self.ends: list[socket.socket] = []
        self.listener: socket.socket | None = None
        self.mend()

    def mend(self) -> None:
        """Everything passes, from now on."""
        self.flows.set()
        if self.listener is None:
            self.listener = socket.socket(socket.AF_UNIX)
            self.listener.bind(str(self.folder / ".s.PGSQL.5432"))
            # Whoever Pippin runs as.
            (self.folder / ".s.PGSQL.5432").chmod(0o777)
            self.listener.listen(64)
            self.taker = threading.Thread(target=self._take, args=(self.listener,), daemon=True)
            self.taker.start()

    def hold(self) -> None:
        """Nothing passes, and nobody is told."""
        self.flows.clear()

    def cut(self) -> None:
        """Connections end, and there are no new ones."""
        listener, self.listener = self.listener, None
        if listener is not None:
            with suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            listener.close()
            self.taker.join(SECONDS)
            (self.folder / ".s.PGSQL.5432").unlink()
        with self.lock:
            ends, self.ends = self.ends, []
        for end in ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        self.flows.set()

    def _take(self, listener: socket.socket) -> None:
        while True:
            try:
                here, _ = listener.accept()
            except OSError:
                return
            there = socket.socket(socket.AF_UNIX)
            with self.lock:
                self.ends += [here, there]
            threading.Thread(target=self._pass, args=(here, there), daemon=True).start()

    def _pass(self, here: socket.socket, there: socket.socket) -> None:
        with here, there, suppress(OSError):
            there.connect(str(self.there))
            while True:
                for source in select.select([here, there], [], [])[0]:
                    data = source.recv(65536)
                    self.flows.wait()
                    if not data:
                        return
                    (there if source is here else here).sendall(data)
