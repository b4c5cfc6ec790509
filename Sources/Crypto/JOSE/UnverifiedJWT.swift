import Core

/// A parsed JWT in compact form (RFC 7519, RFC 7515 section 7.1) whose signature is not yet verified.
///
/// It exists only with a supported algorithm, so `none` and `HS256` are rejected before a key is looked up.
public struct UnverifiedJWT: Sendable {
    /// Default maximum length in bytes.
    public static let maximumCount = 8192

    /// The header.
    public let header: JOSEHeader
    /// Unverified claims: usable for finding the key, and trusted only after `verify(with:)` has returned them.
    public let unverifiedClaims: Claims

    private let signedPart: [UInt8]
    private let signature: [UInt8]

    /// Parses a token.
    public init(_ text: String, maximumCount: Int = Self.maximumCount) throws(JWTFailure) {
        guard text.utf8.count <= maximumCount else { throw .tooLarge }
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[2].isEmpty else { throw .malformed }
        guard let head = Self.decode(parts[0]), let body = Self.decode(parts[1]), let signature = Self.decode(parts[2])
        else { throw .malformed }
        header = try JOSEHeader(head)
        guard let claims = try? JSON.object(body) else { throw .malformedClaims }
        unverifiedClaims = Claims(claims)
        signedPart = Array(text.utf8[..<parts[1].endIndex])
        self.signature = signature
    }

    /// Verifies the signature with `key` and returns the claims; the key, not the header, decides the algorithm.
    ///
    /// Nothing else is checked: the caller checks issuer, audience, and times.
    public func verify(with key: some VerifyingKey) throws(JWTFailure) -> Claims {
        guard header.algorithm == key.algorithm else { throw .wrongAlgorithm(expected: key.algorithm) }
        guard key.isValid(signature, for: signedPart.span) else { throw .invalidSignature }
        return unverifiedClaims
    }

    /// Whether the signature is an ASN.1 sequence, which most libraries produce for ECDSA and JWS does not accept
    /// (RFC 7518 section 3.4).
    public var hasDERSignature: Bool {
        signature.count > 2 && signature[0] == 0x30 && Int(signature[1]) == signature.count - 2
    }

    private static func decode(_ part: Substring.UTF8View) -> [UInt8]? { Base64URL.decode(String(Substring(part))) }
}

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

/// The reason a JWT was rejected.
public enum JWTFailure: Error, Hashable {
    /// Longer than allowed.
    case tooLarge
    /// Not three parts in canonical base64url, or without a signature.
    case malformed
    /// The header is not a JSON object, has a duplicate member or nests too deeply, or `kid` or `typ` is not a string.
    case malformedHeader
    /// The claims are not a JSON object, have a duplicate member, or nest too deeply.
    case malformedClaims
    /// `alg` is missing or unsupported, such as `none` or `HS256`.
    case unsupportedAlgorithm(String)
    /// `crit` is present, but no critical extension is supported (RFC 7515 section 4.1.11).
    case unsupportedExtension
    /// `alg` differs from the algorithm of the key.
    case wrongAlgorithm(expected: JWSAlgorithm)
    /// The signature was not made with the key.
    case invalidSignature
}
