internal import CFido2

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
