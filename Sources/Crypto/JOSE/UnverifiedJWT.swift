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
