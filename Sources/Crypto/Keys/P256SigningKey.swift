internal import COpenSSL

/// A private key on the curve P-256, for ES256, as contained in Apple's `.p8` files.
public final class P256SigningKey: SigningKey {
    /// The public key that belongs to this key.
    public let publicKey: P256PublicKey
    private let key: KeyHandle
    private let context: SignatureContext

    /// Generates a key.
    public static func generate() -> P256SigningKey {
        let context = unsafe OpenSSL.require(EVP_PKEY_CTX_new_from_name(nil, "EC", nil), "EC")
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        unsafe OpenSSL.require(EVP_PKEY_keygen_init(context), "EVP_PKEY_keygen_init")
        unsafe OpenSSL.require(EVP_PKEY_CTX_set_group_name(context, P256PublicKey.curve), "set_group_name")
        unsafe OpenSSL.require(EVP_PKEY_generate(context, &key), "EVP_PKEY_generate")
        guard let handle = try? unsafe KeyHandle(owning: key) else { preconditionFailure("no key was made") }
        return P256SigningKey(handle)
    }

    /// Reads PKCS#8 PEM (see `PEM`); every other kind of key is rejected with a specific error.
    public convenience init(pem: String) throws(KeyFailure) {
        let key = try KeyHandle(privatePEM: pem, of: .ellipticCurve)
        try P256PublicKey.requireCurve(of: key)
        guard key.isSound else { throw .malformed }
        self.init(key)
    }

    private init(_ key: KeyHandle) {
        self.key = key
        context = SignatureContext(key, for: .signing)
        publicKey = P256PublicKey(key)
    }

    /// ES256.
    public var algorithm: JWSAlgorithm { .es256 }

    /// The key in PKCS#8 PEM.
    public var pem: String { key.privatePEM }

    /// Signs `message` and returns r and s, 32 bytes each, which differ for each call.
    public func sign(_ message: Span<UInt8>) throws(SigningFailure) -> [UInt8] {
        try ECDSASignature.raw(fromDER: context.sign(SHA256.hash(message)))
    }
}
