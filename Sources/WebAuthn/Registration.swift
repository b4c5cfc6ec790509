internal import CFido2

/// What the browser hands over after `navigator.credentials.create()`.
public struct RegistrationResponse: Sendable {
    public let clientDataJSON: [UInt8]
    /// Of `getAuthenticatorData()`.
    public let authenticatorData: [UInt8]

    public init(clientDataJSON: [UInt8], authenticatorData: [UInt8]) {
        self.clientDataJSON = clientDataJSON
        self.authenticatorData = authenticatorData
    }

    /// The challenge it claims to answer, unchecked.
    public var claimedChallenge: [UInt8]? { ClientData.challenge(in: clientDataJSON) }
}

/// A passkey as it was registered.
public struct Credential: Hashable, Sendable {
    public let id: [UInt8]
    public let key: CredentialKey
    public let signCount: UInt32
    /// Whether it may be copied to the person's other devices.
    public let isBackupEligible: Bool
    public let isBackedUp: Bool
    /// Whether PIN or biometrics were asked for.
    public let isUserVerified: Bool
}

extension RelyingParty {
    /// The credential of a registration, checked by Web Authentication Level 3 section 7.1.
    public func register(
        _ response: RegistrationResponse,
        challenge: [UInt8],
        requiresUserVerification: Bool = false
    ) throws(WebAuthnFailure) -> Credential {
        _ = try ClientData(
            response.clientDataJSON,
            of: .registration,
            challenge: challenge,
            origin: origin
        )
        let head = try AuthenticatorData(
            response.authenticatorData,
            of: self,
            requiresUserVerification: requiresUserVerification
        )
        let attested = try AttestedCredential(response.authenticatorData)
        return Credential(
            id: attested.id,
            key: attested.key,
            signCount: head.signCount,
            isBackupEligible: head.isBackupEligible,
            isBackedUp: head.isBackedUp,
            isUserVerified: head.isUserVerified
        )
    }
}

/// The credential within authenticator data, as libfido2 reads it.
private struct AttestedCredential {
    /// The longest a credential id may be (Web Authentication Level 3 section 4).
    private static let longestID = 1023

    let id: [UInt8]
    let key: CredentialKey

    /// libfido2 wants to be told the algorithm, so each we take is tried.
    init(_ authenticatorData: [UInt8]) throws(WebAuthnFailure) {
        for algorithm in CredentialKey.Algorithm.allCases {
            if let (id, key) = Self.read(authenticatorData, as: algorithm) {
                guard !id.isEmpty, id.count <= Self.longestID else { throw .malformedAuthenticatorData }
                // A point beside the curve is no key; better to know now than at the first sign-in.
                guard PublicKeyHandle(CredentialKey(algorithm, key)) != nil else { throw .unsupportedKey }
                self.id = id
                self.key = CredentialKey(algorithm, key)
                return
            }
        }
        throw .unsupportedKey
    }

    private static func read(
        _ data: [UInt8],
        as algorithm: CredentialKey.Algorithm
    ) -> (id: [UInt8], key: [UInt8])? {
        var credential = unsafe fido_cred_new()
        defer { unsafe fido_cred_free(&credential) }
        guard unsafe credential != nil,
            unsafe fido_cred_set_type(credential, Int32(algorithm.rawValue)) == FIDO_OK,
            unsafe fido_cred_set_authdata_raw(credential, data, data.count) == FIDO_OK
        else { return nil }
        let id = unsafe UnsafeBufferPointer(
            start: fido_cred_id_ptr(credential),
            count: fido_cred_id_len(credential)
        )
        let key = unsafe UnsafeBufferPointer(
            start: fido_cred_pubkey_ptr(credential),
            count: fido_cred_pubkey_len(credential)
        )
        return unsafe (Array(id), Array(key))
    }
}
