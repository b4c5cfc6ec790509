"""Team Acme of the benchmark: what `pippin apply` is given, and the key its app signs client secrets with."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

TEAM = "ACMETEAM01"
APP = "com.acme.app"
CLIENT = "com.acme.web"
KEY = "ACMEKEY001"
RETURN_URL = "http://127.0.0.1:9000/callback"
PASSWORD = "analytical-engine-1843"


@dataclass(frozen=True)
class SigningKey:
    """A P-256 key of which Pippin gets the public half."""

    file: Path
    public_pem: str

    @classmethod
    def make(cls, folder: Path) -> "SigningKey":
        file = folder / "key.pem"
        openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", str(file))
        return cls(file, openssl("pkey", "-in", str(file), "-pubout"))


def openssl(*arguments: str) -> str:
    return subprocess.run(["openssl", *arguments], check=True, capture_output=True, text=True, timeout=30).stdout


def registry(key: SigningKey, people: list[str]) -> dict:
    """Acme with one App ID, one Service ID and one key, and with these people, all of one password."""
    service = {"identifier": CLIENT, "description": "Acme Web", "domains": ["127.0.0.1"], "returnURLs": [RETURN_URL]}
    team = {
        "id": TEAM,
        "name": "Acme",
        "mode": "sandbox",
        "identitySources": ["directory"],
        "secondFactor": "off",
        "appIDs": [{"identifier": APP, "description": "Acme", "serviceIDs": [service]}],
        "keys": [{"id": KEY, "name": "Bench", "appID": APP, "publicKeyPEM": key.public_pem}],
        "users": [
            {"email": email, "password": PASSWORD, "givenName": "Ada", "familyName": "Lovelace"} for email in people
        ],
    }
    return {"teams": [team]}
