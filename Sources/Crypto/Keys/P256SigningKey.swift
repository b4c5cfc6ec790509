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

/// A public key on the curve P-256, for ES256.
public final class P256PublicKey: VerifyingKey {
    /// OpenSSL's name of P-256.
    static let curve = "prime256v1"
    private static let coordinateCount = 32

    private let key: KeyHandle
    private let context: SignatureContext

    /// Reads SubjectPublicKeyInfo PEM (see `PEM`); every other kind of key is rejected with a specific error.
    public convenience init(pem: String) throws(KeyFailure) {
        try self.init(checking: KeyHandle(publicPEM: pem, of: .ellipticCurve))
    }

    /// Reads SubjectPublicKeyInfo DER.
    public convenience init(der: [UInt8]) throws(KeyFailure) {
        try self.init(checking: KeyHandle(publicDER: der, of: .ellipticCurve))
    }

    /// Creates a key from the coordinates of a point, 32 bytes each (RFC 7518 section 6.2.1).
    public convenience init(x: [UInt8], y: [UInt8]) throws(KeyFailure) {
        guard x.count == Self.coordinateCount, y.count == Self.coordinateCount else { throw .malformed }
        try self.init(der: Self.derHead + x + y)
    }

    private convenience init(checking key: KeyHandle) throws(KeyFailure) {
        try Self.requireCurve(of: key)
        guard key.isPublicHalfSound else { throw .malformed }
        self.init(key)
    }

    init(_ key: KeyHandle) {
        self.key = key
        context = SignatureContext(key, for: .verifying)
    }

    static func requireCurve(of key: KeyHandle) throws(KeyFailure) {
        guard key.algorithm == "EC" else { throw .unsupportedAlgorithm(key.algorithm) }
        let curve = key.curve ?? ""
        guard curve == Self.curve else { throw .unsupportedCurve(curve) }
    }

    /// ES256.
    public var algorithm: JWSAlgorithm { .es256 }

    /// The key in SubjectPublicKeyInfo DER; its SHA-256 is the key's fingerprint.
    public var der: [UInt8] { key.publicDER }

    /// The key in SubjectPublicKeyInfo PEM.
    public var pem: String { PEM(label: "PUBLIC KEY", der: der).text }

    /// The coordinates of the point, 32 bytes each.
    public var coordinates: (x: [UInt8], y: [UInt8]) {
        (
            key.number(OSSL_PKEY_PARAM_EC_PUB_X, count: Self.coordinateCount),
            key.number(OSSL_PKEY_PARAM_EC_PUB_Y, count: Self.coordinateCount)
        )
    }

    /// Whether `signature` consists of r and s, 32 bytes each, and is valid for `message`.
    public func isValid(_ signature: [UInt8], for message: Span<UInt8>) -> Bool {
        guard let der = ECDSASignature.der(fromRaw: signature) else { return false }
        return context.isValid(der, for: SHA256.hash(message))
    }

    /// SubjectPublicKeyInfo of an uncompressed point on P-256, up to its coordinates (RFC 5480).
    private static let derHead: [UInt8] = [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86, 0x48,
        0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
    ]
}
