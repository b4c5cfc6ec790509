/// A verified assertion.
public struct Assertion: Hashable, Sendable {
    public let signCount: UInt32
    public let isUserVerified: Bool
    public let isBackedUp: Bool
}

/// The browser's response to `navigator.credentials.get()`.
public struct AssertionResponse: Sendable {
    public let credentialID: [UInt8]
    public let clientDataJSON: [UInt8]
    public let authenticatorData: [UInt8]
    public let signature: [UInt8]
    /// User handle from the registration of the key; a key that was listed in the request may omit it.
    public let userHandle: [UInt8]?

    public init(
        credentialID: [UInt8], clientDataJSON: [UInt8], authenticatorData: [UInt8], signature: [UInt8],
        userHandle: [UInt8]?
    ) {
        self.credentialID = credentialID
        self.clientDataJSON = clientDataJSON
        self.authenticatorData = authenticatorData
        self.signature = signature
        self.userHandle = userHandle
    }

    /// The challenge in the client data, not verified.
    public var claimedChallenge: [UInt8]? { ClientData.challenge(in: clientDataJSON) }
}

extension RelyingParty {
    /// Verifies an assertion against the registered key, by Web Authentication Level 3 section 7.2.
    ///
    /// - Parameters:
    ///   - knownCount: signature counter of the key's last use.
    ///   - isBackupEligible: backup eligibility from the key's registration, which never changes.
    public func verify(
        _ response: AssertionResponse, of key: CredentialKey, challenge: [UInt8], knownCount: UInt32,
        isBackupEligible: Bool, requiresUserVerification: Bool
    ) throws(WebAuthnFailure) -> Assertion {
        let client = try ClientData(response.clientDataJSON, of: .assertion, challenge: challenge, origin: origin)
        let head = try AuthenticatorData(
            response.authenticatorData, in: .assertion, of: self, requiresUserVerification: requiresUserVerification)
        guard head.isBackupEligible == isBackupEligible else { throw .wrongBackupState }
        guard let handle = PublicKeyHandle(key) else { throw .unsupportedKey }
        guard handle.hasSigned(response, clientDataHash: client.hash, id) else { throw .wrongSignature }
        guard Self.hasGrown(head.signCount, since: knownCount) else { throw .counterFellBack }
        return Assertion(signCount: head.signCount, isUserVerified: head.isUserVerified, isBackedUp: head.isBackedUp)
    }

    /// Whether a counter may follow another; authenticators without a counter always report zero.
    static func hasGrown(_ count: UInt32, since known: UInt32) -> Bool { count > known || (count == 0 && known == 0) }
}
