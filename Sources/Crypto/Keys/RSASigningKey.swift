internal import COpenSSL

/// A private RSA key of 2,048 to 8,192 bits, for RS256.
public final class RSASigningKey: SigningKey {
    /// The public key that belongs to this key.
    public let publicKey: RSAPublicKey
    private let key: KeyHandle
    private let context: SignatureContext

    /// Generates a key with the exponent 65,537, which takes a processor core about a tenth of a second.
    public static func generate(bits: Int = 2048) throws(KeyFailure) -> RSASigningKey {
        guard RSAPublicKey.sizes.contains(bits) else { throw .unsupportedSize(bits: bits) }
        let context = unsafe OpenSSL.require(EVP_PKEY_CTX_new_from_name(nil, "RSA", nil), "RSA")
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        unsafe OpenSSL.require(EVP_PKEY_keygen_init(context), "EVP_PKEY_keygen_init")
        unsafe OpenSSL.require(EVP_PKEY_CTX_set_rsa_keygen_bits(context, Int32(bits)), "rsa_keygen_bits")
        unsafe OpenSSL.require(EVP_PKEY_generate(context, &key), "EVP_PKEY_generate")
        return try unsafe RSASigningKey(KeyHandle(owning: key))
    }

    /// Reads PKCS#8 PEM (see `PEM`); every other kind of key is rejected with a specific error.
    public convenience init(pem: String) throws(KeyFailure) {
        let key = try KeyHandle(privatePEM: pem, of: .rsa)
        try RSAPublicKey.requireSize(of: key)
        self.init(key)
        // OpenSSL's own check verifies the primes, which takes long; a test signature also shows that the halves match.
        let sample: [UInt8] = [0]
        guard let signature = try? sign(sample.span), publicKey.isValid(signature, for: sample.span) else {
            throw .malformed
        }
    }

    private init(_ key: KeyHandle) {
        self.key = key
        context = SignatureContext(key, for: .signing)
        publicKey = RSAPublicKey(key)
    }

    /// RS256.
    public var algorithm: JWSAlgorithm { .rs256 }

    /// The key in PKCS#8 PEM.
    public var pem: String { key.privatePEM }

    /// Signs `message`; the signature is as long as the modulus and identical for each call.
    public func sign(_ message: Span<UInt8>) throws(SigningFailure) -> [UInt8] {
        try context.sign(SHA256.hash(message))
    }
}

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
