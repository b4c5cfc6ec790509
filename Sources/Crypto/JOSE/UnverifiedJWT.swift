internal import Bytes

/// A JWT in compact form (RFC 7519, RFC 7515 section 7.1), taken apart but not yet believed.
///
/// It exists only with an algorithm that is spoken here, so `none` and `HS256` are refused before anyone
/// looks for a key.
public struct UnverifiedJWT: Sendable {
    /// Most bytes that are read unless the caller says otherwise.
    public static let maximumCount = 8192

    /// The header.
    public let header: JOSEHeader
    /// What the token claims: good for finding the key, and believed only once `verify(with:)` returned it.
    public let unverifiedClaims: Claims

    private let signedPart: [UInt8]
    private let signature: [UInt8]

    /// Takes a token apart.
    public init(_ text: String, maximumCount: Int = Self.maximumCount) throws(JWTFailure) {
        guard text.utf8.count <= maximumCount else { throw .tooLarge }
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[2].isEmpty else { throw .malformed }
        guard let head = Self.decode(parts[0]), let body = Self.decode(parts[1]),
            let signature = Self.decode(parts[2])
        else { throw .malformed }
        header = try JOSEHeader(head)
        guard let claims = try? JSON.object(body) else { throw .malformedClaims }
        unverifiedClaims = Claims(claims)
        signedPart = Array(text.utf8[..<parts[1].endIndex])
        self.signature = signature
    }

    /// The claims, once `key` proves the signature; the key, not the header, decides the algorithm.
    ///
    /// Nothing else is checked: issuer, audience and times are the caller's.
    public func verify(with key: some VerifyingKey) throws(JWTFailure) -> Claims {
        guard header.algorithm == key.algorithm else { throw .wrongAlgorithm(expected: key.algorithm) }
        guard key.isValid(signature, for: signedPart.span) else { throw .invalidSignature }
        return unverifiedClaims
    }

    /// Whether the signature is an ASN.1 sequence: what most libraries make of ECDSA, and JWS does not take
    /// (RFC 7518 section 3.4).
    public var hasDERSignature: Bool {
        signature.count > 2 && signature[0] == 0x30 && Int(signature[1]) == signature.count - 2
    }

    private static func decode(_ part: Substring.UTF8View) -> [UInt8]? {
        Base64URL.decode(String(Substring(part)))
    }
}
