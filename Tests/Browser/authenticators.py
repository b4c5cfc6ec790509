"""What people carry: an authenticator app, and a passkey that Chromium plays."""

import base64
import hashlib
import hmac
import struct
import time

from playwright.sync_api import Page


def code(secret: str, at: float | None = None) -> str:
    """The code that an authenticator app shows (RFC 6238)."""
    key = base64.b32decode(secret.replace(" ", ""))
    counter = struct.pack(">Q", int(time.time() if at is None else at) // 30)
    digest = hmac.new(key, counter, hashlib.sha1).digest()
    offset = digest[-1] & 15
    number = struct.unpack(">I", digest[offset : offset + 4])[0] & 0x7FFFFFFF
    return f"{number % 1_000_000:06}"


class VirtualAuthenticator:
    """A passkey device of the page's browser; takes part in every ceremony of that page from now on."""

    def __init__(self, page: Page, *, verifies_users: bool = True) -> None:
        self.session = page.context.new_cdp_session(page)
        self.session.send("WebAuthn.enable")
        self.id = self.session.send(
            "WebAuthn.addVirtualAuthenticator",
            {
                "options": {
                    "protocol": "ctap2",
                    "transport": "internal",
                    "hasResidentKey": True,
                    "hasUserVerification": verifies_users,
                    "isUserVerified": verifies_users,
                    "automaticPresenceSimulation": True,
                }
            },
        )["authenticatorId"]

    def credentials(self) -> list[dict]:
        return self.session.send("WebAuthn.getCredentials", {"authenticatorId": self.id})["credentials"]

    def answer(self, willing: bool) -> None:
        """Whether somebody touches the device."""
        self.session.send(
            "WebAuthn.setAutomaticPresenceSimulation", {"authenticatorId": self.id, "enabled": willing}
        )
