"""A mail server that misbehaves as it is told: aiosmtpd, silent or unfriendly at any step of SMTP."""

import asyncio
import datetime
import functools
import ipaddress
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes
from email.message import Message
from pathlib import Path
from typing import Self

from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from waiting import SECONDS, until

# The steps of a delivery: the greeting, the commands, the end of the message, and the end of the session.
STEPS = ("greeting", "EHLO", "MAIL", "RCPT", "DATA", "message", "QUIT")
USER, PASSWORD = "pippin@acme.example", "relay-of-the-house"


class Relay:
    """A relay on 127.0.0.1."""

    def __init__(self, tls: ssl.SSLContext | None, has_login: bool):
        self.mails: list[Message] = []
        self.were_encrypted: list[bool] = []
        # What it answers to a step in place of the usual.
        self.answers: dict[str, str] = {}
        self._silent_at = ""
        self._held = 0
        self._silences = 0
        self._go_on = asyncio.Event()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        options = {"hostname": "relay.example", "loop": self._loop, "tls_context": tls}
        if has_login:
            options |= {"authenticator": self._authenticate, "auth_required": True, "auth_require_tls": tls is not None}
        self._server = self._run(self._loop.create_server(lambda: Conversation(self, **options), "127.0.0.1", 0))
        self.port = self._server.sockets[0].getsockname()[1]

    @classmethod
    @contextmanager
    def running(cls, tls: ssl.SSLContext | None = None, has_login: bool = False) -> Iterator[Self]:
        relay = cls(tls, has_login)
        try:
            yield relay
        finally:
            relay.go_on()
            relay._server.close()
            relay._loop.call_soon_threadsafe(relay._loop.stop)
            relay._thread.join(SECONDS)
            relay._loop.close()

    def be_silent_at(self, step: str) -> None:
        self._silences = 0
        self._silent_at = step

    def go_on(self) -> None:
        """Answers again, also what it has not answered so far."""
        self._silent_at = ""
        self._loop.call_soon_threadsafe(self._go_on.set)

    @property
    def is_waited_for(self) -> bool:
        """Whether a client still waits for an answer."""
        return self._held > 0

    def wait_until_silent(self) -> None:
        until(lambda: self._silences, lambda: f"nobody has reached {self._silent_at}")

    def wait_for_mail(self, count: int = 1) -> Message:
        until(lambda: len(self.mails) >= count, lambda: f"{len(self.mails)} mails came")
        return self.mails[count - 1]

    async def reach(self, step: str) -> None:
        if step != self._silent_at:
            return
        self._go_on.clear()
        self._held += 1
        self._silences += 1
        try:
            await self._go_on.wait()
        finally:
            self._held -= 1

    async def handle_DATA(self, _server: SMTP, session: Session, envelope: Envelope) -> str:
        self.mails.append(message_from_bytes(envelope.content))
        self.were_encrypted.append(session.ssl is not None)
        await self.reach("message")
        return self.answers.get("message", "250 2.0.0 accepted")

    @staticmethod
    def _authenticate(_server: SMTP, _session: Session, _envelope: Envelope, _mechanism: str, given: LoginPassword) -> AuthResult:
        is_right = (given.login, given.password) == (USER.encode(), PASSWORD.encode())
        return AuthResult(success=is_right, handled=is_right, message=None if is_right else "535 5.7.8 wrong password")

    def _run(self, work):
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(SECONDS)


class Conversation(SMTP):
    def __init__(self, relay: Relay, **options):
        self.relay = relay
        super().__init__(relay, **options)

    async def _handle_client(self) -> None:
        await self.relay.reach("greeting")
        await super()._handle_client()

    @staticmethod
    def at(verb: str):
        usual = getattr(SMTP, f"smtp_{verb}")

        @functools.wraps(usual)
        async def command(self: "Conversation", argument: str) -> None:
            await self.relay.reach(verb)
            if verb in self.relay.answers:
                await self.push(self.relay.answers[verb])
            else:
                await usual(self, argument)

        return command


for verb in ("EHLO", "HELO", "MAIL", "RCPT", "DATA", "QUIT"):
    setattr(Conversation, f"smtp_{verb}", Conversation.at(verb))


def self_made(folder: Path) -> tuple[ssl.SSLContext, Path]:
    """TLS with a certificate that the relay made itself, for its address, and the file of the certificate."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "relay.example")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key()).serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1)).not_valid_after(now + datetime.timedelta(days=60))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    file, secret = folder / "relay.pem", folder / "relay.key"
    file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    secret.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(file, secret)
    return context, file
