"""The same people and teams in every test, as the registry file that `pippin apply` reads."""

from dataclasses import dataclass, field

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec


@dataclass(frozen=True)
class Person:
    given_name: str
    family_name: str
    email: str
    password: str


ADA = Person("Ada", "Lovelace", "ada@acme.example", "analytical-engine-1843")
BEN = Person("Ben", "Nevis", "ben@acme.example", "fifty-six-degrees-north")
CLEO = Person("Cleo", "Patra", "cleo@acme.example", "asp-in-a-fig-basket")
# Dana comes for tests after which nobody finds her again.
DANA = Person("Dana", "Fern", "dana@acme.example", "unfurling-every-spring")
PEOPLE = (ADA, BEN, CLEO, DANA)


def registered(people: tuple[Person, ...]) -> list[dict]:
    """People as a registry file lists them."""
    return [
        {
            "email": person.email,
            "password": person.password,
            "givenName": person.given_name,
            "familyName": person.family_name,
        }
        for person in people
    ]


@dataclass(frozen=True)
class SigningKey:
    """A P-256 key as an app holds it: Pippin gets the public half only."""

    id: str
    private_key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))

    @property
    def private_pem(self) -> str:
        return self.private_key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        ).decode()

    @property
    def public_pem(self) -> str:
        return (
            self.private_key.public_key()
            .public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
            .decode()
        )


@dataclass(frozen=True)
class Acme:
    """Team Acme with one App ID, one Service ID, one key and its people."""

    return_url: str
    key: SigningKey = field(default_factory=lambda: SigningKey("ACMEKEY001"))
    id: str = "ACMETEAM01"
    app_id: str = "com.acme.app"
    client_id: str = "com.acme.web"
    description: str = "Acme Web"

    def registry(self) -> dict:
        return {
            "teams": [
                {
                    "id": self.id,
                    "name": "Acme",
                    "mode": "sandbox",
                    "identitySources": ["directory"],
                    "secondFactor": "off",
                    "appIDs": [
                        {
                            "identifier": self.app_id,
                            "description": "Acme",
                            "serviceIDs": [
                                {
                                    "identifier": self.client_id,
                                    "description": self.description,
                                    "domains": ["127.0.0.1"],
                                    "returnURLs": [self.return_url],
                                }
                            ],
                        }
                    ],
                    "keys": [
                        {
                            "id": self.key.id,
                            "name": "Browser tests",
                            "appID": self.app_id,
                            "publicKeyPEM": self.key.public_pem,
                        }
                    ],
                    "users": registered(PEOPLE),
                }
            ]
        }
