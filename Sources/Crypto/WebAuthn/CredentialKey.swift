internal import CFido2

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
