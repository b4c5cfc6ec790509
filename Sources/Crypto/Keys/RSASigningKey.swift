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
