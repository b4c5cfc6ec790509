internal import Bytes

/// Signs JWTs with one key; the header is written and encoded once.
public struct JWTSigner: Sendable {
    /// The key's name in the header.
    public let keyID: String
    private let key: any SigningKey
    private let head: String

    /// A signer whose header is `kid` and `alg` in this order, as in Apple's id_token, then `typ` if given.
    public init(key: any SigningKey, keyID: String, type: String? = nil) {
        var header = JSONWriter(capacity: 64)
        header.member("kid", keyID)
        header.member("alg", key.algorithm.rawValue)
        if let type { header.member("typ", type) }
        head = Base64URL.encode(header.finish()) + "."
        self.key = key
        self.keyID = keyID
    }

    /// The token in compact form; `claims` is a JSON object.
    public func sign(_ claims: [UInt8]) throws(SigningFailure) -> String {
        var token = head + Base64URL.encode(claims)
        let signature = try key.sign(token.utf8.span)
        token += "."
        token += Base64URL.encode(signature)
        return token
    }
}
