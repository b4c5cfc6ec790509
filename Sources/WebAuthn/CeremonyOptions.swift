internal import Bytes

/// What a page hands to `navigator.credentials.create()`, as JSON with binary values in base64url.
public struct CreationOptions: Sendable {
    public let party: RelyingParty
    /// The name of the site, which the browser shows.
    public let partyName: String
    /// Random, and no name of the person: authenticators keep it in the clear.
    public let userHandle: [UInt8]
    public let userName: String
    public let displayName: String
    public let challenge: [UInt8]
    /// The keys the person has: the same authenticator is not registered twice.
    public let excluded: [[UInt8]]

    public init(
        party: RelyingParty,
        partyName: String,
        userHandle: [UInt8],
        userName: String,
        displayName: String,
        challenge: [UInt8],
        excluded: [[UInt8]]
    ) {
        self.party = party
        self.partyName = partyName
        self.userHandle = userHandle
        self.userName = userName
        self.displayName = displayName
        self.challenge = challenge
        self.excluded = excluded
    }

    /// `PublicKeyCredentialCreationOptionsJSON` of Web Authentication Level 3 section 5.4.
    public var json: String {
        let value: JSONValue = [
            "rp": ["id": .string(party.id), "name": .string(partyName)],
            "user": [
                "id": .string(Base64URL.encode(userHandle)), "name": .string(userName),
                "displayName": .string(displayName),
            ],
            "challenge": .string(Base64URL.encode(challenge)),
            "pubKeyCredParams": .array(
                CredentialKey.Algorithm.allCases.map {
                    ["type": "public-key", "alg": .integer(Int64($0.rawValue))]
                }
            ),
            "excludeCredentials": .array(excluded.map(descriptor)),
            // A key the authenticator can find by itself signs in alone; others serve as a second factor.
            "authenticatorSelection": ["residentKey": "preferred", "userVerification": "preferred"],
            "attestation": "none",
            "timeout": .integer(ceremonyMilliseconds),
        ]
        return String(decoding: JSON.encode(value), as: UTF8.self)
    }
}

/// What a page hands to `navigator.credentials.get()`, as JSON with binary values in base64url.
public struct RequestOptions: Sendable {
    public let party: RelyingParty
    public let challenge: [UInt8]
    /// The keys that may answer; none means any the authenticator can find for the site.
    public let allowed: [[UInt8]]
    public let requiresUserVerification: Bool

    public init(
        party: RelyingParty,
        challenge: [UInt8],
        allowed: [[UInt8]],
        requiresUserVerification: Bool
    ) {
        self.party = party
        self.challenge = challenge
        self.allowed = allowed
        self.requiresUserVerification = requiresUserVerification
    }

    /// `PublicKeyCredentialRequestOptionsJSON` of Web Authentication Level 3 section 5.5.
    public var json: String {
        let value: JSONValue = [
            "rpId": .string(party.id),
            "challenge": .string(Base64URL.encode(challenge)),
            "allowCredentials": .array(allowed.map(descriptor)),
            "userVerification": requiresUserVerification ? "required" : "preferred",
            "timeout": .integer(ceremonyMilliseconds),
        ]
        return String(decoding: JSON.encode(value), as: UTF8.self)
    }
}

/// How long a browser waits for the person: five minutes (Web Authentication Level 3 section 15.1).
private let ceremonyMilliseconds: Int64 = 300_000

private func descriptor(_ id: [UInt8]) -> JSONValue {
    ["type": "public-key", "id": .string(Base64URL.encode(id))]
}
