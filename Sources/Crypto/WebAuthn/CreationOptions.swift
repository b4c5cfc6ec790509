internal import Core

/// Options for `navigator.credentials.create()`, as JSON with binary values in base64url.
public struct CreationOptions: Sendable {
    public let party: RelyingParty
    /// Name of the site, shown by the browser.
    public let partyName: String
    /// Random and without the user's name, because authenticators store it unencrypted.
    public let userHandle: [UInt8]
    public let userName: String
    public let displayName: String
    public let challenge: [UInt8]
    /// IDs of the user's existing keys, so that the same authenticator is not registered twice.
    public let excluded: [[UInt8]]

    public init(
        party: RelyingParty, partyName: String, userHandle: [UInt8], userName: String, displayName: String,
        challenge: [UInt8], excluded: [[UInt8]]
    ) {
        self.party = party
        self.partyName = partyName
        self.userHandle = userHandle
        self.userName = userName
        self.displayName = displayName
        self.challenge = challenge
        self.excluded = excluded
    }

    /// The options as `PublicKeyCredentialCreationOptionsJSON` of Web Authentication Level 3 section 5.4.
    public var json: String {
        let value: JSONValue = [
            "rp": ["id": .string(party.id), "name": .string(partyName)],
            "user": [
                "id": .string(Base64URL.encode(userHandle)), "name": .string(userName),
                "displayName": .string(displayName),
            ], "challenge": .string(Base64URL.encode(challenge)),
            "pubKeyCredParams": .array(
                CredentialKey.Algorithm.allCases.map { ["type": "public-key", "alg": .integer(Int64($0.rawValue))] }),
            "excludeCredentials": .array(excluded.map(descriptor)),
            // A discoverable key can sign in by itself; other keys serve as a second factor.
            "authenticatorSelection": ["residentKey": "preferred", "userVerification": "preferred"],
            "attestation": "none", "timeout": .integer(ceremonyMilliseconds),
        ]
        return String(decoding: JSON.encode(value), as: UTF8.self)
    }
}

/// Options for `navigator.credentials.get()`, as JSON with binary values in base64url.
public struct RequestOptions: Sendable {
    public let party: RelyingParty
    public let challenge: [UInt8]
    /// IDs of the keys that may respond; if empty, any key that the authenticator can discover for the site.
    public let allowed: [[UInt8]]
    public let requiresUserVerification: Bool

    public init(party: RelyingParty, challenge: [UInt8], allowed: [[UInt8]], requiresUserVerification: Bool) {
        self.party = party
        self.challenge = challenge
        self.allowed = allowed
        self.requiresUserVerification = requiresUserVerification
    }

    /// The options as `PublicKeyCredentialRequestOptionsJSON` of Web Authentication Level 3 section 5.5.
    public var json: String {
        let value: JSONValue = [
            "rpId": .string(party.id), "challenge": .string(Base64URL.encode(challenge)),
            "allowCredentials": .array(allowed.map(descriptor)),
            "userVerification": requiresUserVerification ? "required" : "preferred",
            "timeout": .integer(ceremonyMilliseconds),
        ]
        return String(decoding: JSON.encode(value), as: UTF8.self)
    }
}

/// Timeout of the browser for the user's response: five minutes (Web Authentication Level 3 section 15.1).
private let ceremonyMilliseconds: Int64 = 300_000

private func descriptor(_ id: [UInt8]) -> JSONValue { ["type": "public-key", "id": .string(Base64URL.encode(id))] }
