"""A name server on this machine that knows the TXT records a test puts in order."""

import socket
import struct
import threading


class NameServer:
    """Answers over UDP: `names["acme.example"] = ["v=spf1 -all"]`; every other name does not exist."""

    def __init__(self):
        self.names: dict[str, list[str]] = {}
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.socket.getsockname()[1]}"
        self.thread = threading.Thread(target=self._serve, daemon=True)

    def start(self) -> None:
        self.thread.start()

    def stop(self) -> None:
        self.socket.close()

    def _serve(self) -> None:
        while True:
            try:
                query, sender = self.socket.recvfrom(4096)
            except OSError:
                return
            self.socket.sendto(self._answer(query), sender)

    def _answer(self, query: bytes) -> bytes:
        labels, place = [], 12
        while query[place]:
            labels.append(query[place + 1 : place + 1 + query[place]].decode())
            place += 1 + query[place]
        question = query[12 : place + 5]
        texts = self.names.get(".".join(labels).lower())
        head = struct.pack(">HHHHH", 0x8180 if texts is not None else 0x8183, 1, len(texts or []), 0, 0)
        return query[:2] + head + question + b"".join(record(text) for text in texts or [])


def record(text: str) -> bytes:
    """A TXT record for the question's own name, in strings of 255 octets."""
    octets = text.encode()
    strings = [octets[start : start + 255] for start in range(0, len(octets), 255)]
    data = b"".join(bytes([len(string)]) + string for string in strings)
    return b"\xc0\x0c" + struct.pack(">HHIH", 16, 1, 0, len(data)) + data
