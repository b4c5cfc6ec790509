internal import COpenSSL

/// A public RSA key of 2,048 to 8,192 bits, for RS256.
public final class RSAPublicKey: VerifyingKey {
    /// Accepted lengths of the modulus in bits: RFC 7518 section 3.3 requires 2,048; beyond 8,192 a verification costs
    /// more than an unauthenticated client may cause.
    static let sizes = 2048...8192

    private let key: KeyHandle
    private let context: SignatureContext

    /// Reads SubjectPublicKeyInfo PEM (see `PEM`); every other kind of key is rejected with a specific error.
    public convenience init(pem: String) throws(KeyFailure) {
        try self.init(checking: KeyHandle(publicPEM: pem, of: .rsa))
    }

    /// Creates a key from its modulus and exponent, big-endian (RFC 7518 section 6.3.1).
    public convenience init(modulus: [UInt8], exponent: [UInt8]) throws(KeyFailure) {
        guard modulus.count <= Self.sizes.upperBound / 8 else { throw .unsupportedSize(bits: modulus.count * 8) }
        guard exponent.count <= 8 else { throw .malformed }
        let n = unsafe OpenSSL.require(BN_bin2bn(modulus, Int32(modulus.count), nil), "BN_bin2bn")
        defer { unsafe BN_free(n) }
        let e = unsafe OpenSSL.require(BN_bin2bn(exponent, Int32(exponent.count), nil), "BN_bin2bn")
        defer { unsafe BN_free(e) }
        try self.init(checking: unsafe KeyHandle(owning: COpenSSL_RSA_public_key(n, e)))
    }

    private convenience init(checking key: KeyHandle) throws(KeyFailure) {
        try Self.requireSize(of: key)
        // An exponent of 1 would make every padded digest its own signature; the check rejects it.
        guard key.isPublicHalfSound else { throw .malformed }
        self.init(key)
    }

    init(_ key: KeyHandle) {
        self.key = key
        context = SignatureContext(key, for: .verifying)
    }

    static func requireSize(of key: KeyHandle) throws(KeyFailure) {
        guard key.algorithm == "RSA" else { throw .unsupportedAlgorithm(key.algorithm) }
        guard sizes.contains(key.bits) else { throw .unsupportedSize(bits: key.bits) }
    }

    /// RS256.
    public var algorithm: JWSAlgorithm { .rs256 }

    /// The key in SubjectPublicKeyInfo DER; its SHA-256 is the key's fingerprint.
    public var der: [UInt8] { key.publicDER }

    /// The key in SubjectPublicKeyInfo PEM.
    public var pem: String { PEM(label: "PUBLIC KEY", der: der).text }

    /// The modulus, big-endian without leading zeros.
    public var modulus: [UInt8] { key.number(OSSL_PKEY_PARAM_RSA_N) }

    /// The exponent, big-endian without leading zeros.
    public var exponent: [UInt8] { key.number(OSSL_PKEY_PARAM_RSA_E) }

    /// Whether `signature` is as long as the modulus and is valid for `message`.
    public func isValid(_ signature: [UInt8], for message: Span<UInt8>) -> Bool {
        context.isValid(signature, for: SHA256.hash(message))
    }
}
