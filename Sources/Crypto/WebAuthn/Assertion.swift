internal import CFido2

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

/// A verified assertion.
public struct Assertion: Hashable, Sendable {
    public let signCount: UInt32
    public let isUserVerified: Bool
    public let isBackedUp: Bool
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

/// A public key loaded into libfido2.
@safe struct PublicKeyHandle: ~Copyable {
    private let algorithm: CredentialKey.Algorithm
    private let pointer: OpaquePointer

    /// Loads a key; nil if the octets are not a key of that algorithm.
    init?(_ key: CredentialKey) {
        guard let pointer = unsafe Self.load(key) else { return nil }
        algorithm = key.algorithm
        unsafe self.pointer = pointer
    }

    deinit { unsafe Self.free(pointer, algorithm) }

    /// Whether the key signed this authenticator data together with the client data of this hash.
    func hasSigned(_ response: AssertionResponse, clientDataHash: [UInt8], _ partyID: String) -> Bool {
        var assertion = unsafe fido_assert_new()
        defer { unsafe fido_assert_free(&assertion) }
        let data = response.authenticatorData
        guard unsafe assertion != nil, unsafe fido_assert_set_count(assertion, 1) == FIDO_OK,
            unsafe fido_assert_set_rp(assertion, partyID) == FIDO_OK,
            unsafe fido_assert_set_clientdata_hash(assertion, clientDataHash, clientDataHash.count) == FIDO_OK,
            unsafe fido_assert_set_authdata_raw(assertion, 0, data, data.count) == FIDO_OK,
            unsafe fido_assert_set_sig(assertion, 0, response.signature, response.signature.count) == FIDO_OK
        else { return false }
        return unsafe fido_assert_verify(assertion, 0, Int32(algorithm.rawValue), UnsafeRawPointer(pointer)) == FIDO_OK
    }

    private static func load(_ key: CredentialKey) -> OpaquePointer? {
        var pointer: OpaquePointer?
        let status: Int32
        switch key.algorithm {
        case .es256:
            unsafe pointer = es256_pk_new()
            unsafe status = es256_pk_from_ptr(pointer, key.bytes, key.bytes.count)
        case .rs256:
            unsafe pointer = rs256_pk_new()
            unsafe status = rs256_pk_from_ptr(pointer, key.bytes, key.bytes.count)
        }
        guard let loaded = unsafe pointer else { return nil }
        guard status == FIDO_OK else {
            unsafe free(loaded, key.algorithm)
            return nil
        }
        return unsafe loaded
    }

    private static func free(_ pointer: OpaquePointer, _ algorithm: CredentialKey.Algorithm) {
        var pointer: OpaquePointer? = unsafe pointer
        switch algorithm {
        case .es256: unsafe es256_pk_free(&pointer)
        case .rs256: unsafe rs256_pk_free(&pointer)
        }
    }
}

/// The public key of a passkey.
public struct CredentialKey: Hashable, Sendable {
    /// Signature algorithm, by its COSE number.
    public enum Algorithm: Int, CaseIterable, Sendable {
        /// ECDSA on P-256 (RFC 9053 section 2.1).
        case es256 = -7
        /// RSASSA-PKCS1-v1_5 (RFC 8812 section 2).
        case rs256 = -257
    }

    public let algorithm: Algorithm
    /// Key in libfido2's format: both coordinates for ES256, modulus and exponent for RS256.
    public let bytes: [UInt8]

    /// Creates a key from stored values, which are validated only when the key is used.
    public init(_ algorithm: Algorithm, _ bytes: [UInt8]) {
        self.algorithm = algorithm
        self.bytes = bytes
    }
}
