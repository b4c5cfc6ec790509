import Core

/// Signs JWTs with one key; the header is encoded once.
public struct JWTSigner: Sendable {
    /// `kid` of the key in the header.
    public let keyID: String
    private let key: any SigningKey
    private let head: String

    /// Creates a signer whose header is `kid` and `alg` in this order, as in Apple's ID token, then `typ` if given.
    public init(key: any SigningKey, keyID: String, type: String? = nil) {
        var header = JSONWriter(capacity: 64)
        header.member("kid", keyID)
        header.member("alg", key.algorithm.rawValue)
        if let type { header.member("typ", type) }
        head = Base64URL.encode(header.finish()) + "."
        self.key = key
        self.keyID = keyID
    }

    /// Signs `claims`, a JSON object, and returns the token in compact form.
    public func sign(_ claims: [UInt8]) throws(SigningFailure) -> String {
        var token = head + Base64URL.encode(claims)
        let signature = try key.sign(token.utf8.span)
        token += "."
        token += Base64URL.encode(signature)
        return token
    }
}
