"""A browser as lean as one can be, so that it takes little of what is measured."""

import asyncio
import html
import re
import urllib.parse
from dataclasses import dataclass

_COOKIE = re.compile(rb"\r\nSet-Cookie: ([^;\r]+)", re.IGNORECASE)
_LOCATION = re.compile(rb"\r\nLocation: ([^\r]+)", re.IGNORECASE)
_LENGTH = re.compile(rb"\r\nContent-Length: (\d+)", re.IGNORECASE)
_HIDDEN = re.compile(r'<input type="hidden" name="([^"]+)" value="([^"]*)"')


class Unexpected(Exception):
    """An answer that ends a sign-in before its time."""


@dataclass(frozen=True)
class Answer:
    head: bytes
    body: bytes

    @property
    def cookies(self) -> str:
        """What the browser sends from now on."""
        return "; ".join(cookie.decode() for cookie in _COOKIE.findall(self.head))

    @property
    def location(self) -> str:
        """Where it leads, as a path with its query."""
        found = _LOCATION.search(self.head)
        if not found:
            raise Unexpected(f"no way on: {self.head[:60]!r} {self.body[:200]!r}")
        parts = urllib.parse.urlsplit(found.group(1).decode())
        return f"{parts.path}?{parts.query}" if parts.query else parts.path

    def hidden_fields(self, *wanted: str) -> dict[str, str]:
        """The fields of the form that a page sends by itself."""
        fields = {name: html.unescape(value) for name, value in _HIDDEN.findall(self.body.decode())}
        missing = [name for name in wanted if name not in fields]
        if missing:
            raise Unexpected(f"no {missing} in {self.head[:60]!r} {self.body[:200]!r}")
        return fields


class Connection(asyncio.Protocol):
    """One connection that is kept open, with one request at a time."""

    def __init__(self, host: str):
        self.host = host
        self.received = b""
        self.waiting: asyncio.Future | None = None
        self.transport: asyncio.Transport | None = None

    @classmethod
    async def open(cls, port: int, host: str) -> "Connection":
        loop = asyncio.get_running_loop()
        return (await loop.create_connection(lambda: cls(host), "127.0.0.1", port))[1]

    def close(self) -> None:
        self.transport.close()

    async def get(self, path: str, client: str, cookies: str = "") -> Answer:
        return await self._send(f"GET {path} HTTP/1.1\r\n", client, cookies, "")

    async def post(self, path: str, fields: dict[str, str] | str, client: str) -> Answer:
        body = fields if isinstance(fields, str) else urllib.parse.urlencode(fields)
        head = f"POST {path} HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\n"
        return await self._send(f"{head}Content-Length: {len(body)}\r\n", client, "", body)

    async def _send(self, head: str, client: str, cookies: str, body: str) -> Answer:
        if cookies:
            head += f"Cookie: {cookies}\r\n"
        self.waiting = asyncio.get_running_loop().create_future()
        self.transport.write(f"{head}Host: {self.host}\r\nX-Forwarded-For: {client}\r\n\r\n{body}".encode())
        answer = await self.waiting
        status = answer.head[9:12]
        if status >= b"400":
            raise Unexpected(f"{head.split(None, 2)[1]} answered {status.decode()}: {answer.body[:200]!r}")
        return answer

    def connection_made(self, transport: asyncio.Transport) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.received += data
        end = self.received.find(b"\r\n\r\n")
        if end < 0:
            return
        found = _LENGTH.search(self.received, 0, end)
        length = int(found.group(1)) if found else 0
        if len(self.received) < end + 4 + length:
            return
        answer, self.received = Answer(self.received[:end + 2], self.received[end + 4:]), b""
        if not self.waiting.done():
            self.waiting.set_result(answer)

    def connection_lost(self, error: Exception | None) -> None:
        if self.waiting and not self.waiting.done():
            self.waiting.set_exception(Unexpected("the connection was closed"))
