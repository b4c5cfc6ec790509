internal import CFido2
internal import Core

/// The browser's response to `navigator.credentials.create()`.
public struct RegistrationResponse: Sendable {
    public let clientDataJSON: [UInt8]
    /// Result of `getAuthenticatorData()`.
    public let authenticatorData: [UInt8]

    public init(clientDataJSON: [UInt8], authenticatorData: [UInt8]) {
        self.clientDataJSON = clientDataJSON
        self.authenticatorData = authenticatorData
    }

    /// The challenge in the client data, not verified.
    public var claimedChallenge: [UInt8]? { ClientData.challenge(in: clientDataJSON) }
}

/// A registered passkey.
public struct Credential: Hashable, Sendable {
    public let id: [UInt8]
    public let key: CredentialKey
    public let signCount: UInt32
    /// Whether the passkey may be copied to the user's other devices.
    public let isBackupEligible: Bool
    public let isBackedUp: Bool
    /// Whether the authenticator verified the user by PIN or biometrics.
    public let isUserVerified: Bool
}

extension RelyingParty {
    /// Verifies a registration by Web Authentication Level 3 section 7.1 and returns its credential.
    public func register(_ response: RegistrationResponse, challenge: [UInt8], requiresUserVerification: Bool = false)
        throws(WebAuthnFailure) -> Credential
    {
        _ = try ClientData(response.clientDataJSON, of: .registration, challenge: challenge, origin: origin)
        let head = try AuthenticatorData(
            response.authenticatorData, in: .registration, of: self, requiresUserVerification: requiresUserVerification)
        let attested = try AttestedCredential(response.authenticatorData)
        return Credential(
            id: attested.id, key: attested.key, signCount: head.signCount, isBackupEligible: head.isBackupEligible,
            isBackedUp: head.isBackedUp, isUserVerified: head.isUserVerified)
    }
}

/// The credential in authenticator data, as read by libfido2.
private struct AttestedCredential {
    /// Maximum length of a credential ID (Web Authentication Level 3 section 4).
    private static let longestID = 1023

    let id: [UInt8]
    let key: CredentialKey

    /// Tries each supported algorithm, because libfido2 requires the algorithm in advance.
    init(_ authenticatorData: [UInt8]) throws(WebAuthnFailure) {
        for algorithm in CredentialKey.Algorithm.allCases {
            if let (id, key) = Self.read(authenticatorData, as: algorithm) {
                guard !id.isEmpty, id.count <= Self.longestID else { throw .malformedAuthenticatorData }
                // A point that is not on the curve is rejected now rather than at the first sign-in.
                guard PublicKeyHandle(CredentialKey(algorithm, key)) != nil else { throw .unsupportedKey }
                self.id = id
                self.key = CredentialKey(algorithm, key)
                return
            }
        }
        throw .unsupportedKey
    }

    private static func read(_ data: [UInt8], as algorithm: CredentialKey.Algorithm) -> (id: [UInt8], key: [UInt8])? {
        var credential = unsafe fido_cred_new()
        defer { unsafe fido_cred_free(&credential) }
        guard unsafe credential != nil, unsafe fido_cred_set_type(credential, Int32(algorithm.rawValue)) == FIDO_OK,
            unsafe fido_cred_set_authdata_raw(credential, data, data.count) == FIDO_OK
        else { return nil }
        let id = unsafe UnsafeBufferPointer(start: fido_cred_id_ptr(credential), count: fido_cred_id_len(credential))
        let key = unsafe UnsafeBufferPointer(
            start: fido_cred_pubkey_ptr(credential), count: fido_cred_pubkey_len(credential))
        return unsafe (Array(id), Array(key))
    }
}

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
