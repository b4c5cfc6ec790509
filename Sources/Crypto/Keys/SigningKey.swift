/// A private key for signing; the key decides the algorithm.
public protocol SigningKey: Sendable {
    /// Algorithm of the signatures.
    var algorithm: JWSAlgorithm { get }

    /// Signs `message` and returns the signature in the format of JWS.
    func sign(_ message: Span<UInt8>) throws(SigningFailure) -> [UInt8]
}

extension SigningKey {
    /// Signs `message` and returns the signature in the format of JWS.
    public func sign(_ message: [UInt8]) throws(SigningFailure) -> [UInt8] { try sign(message.span) }
}

/// OpenSSL failed to sign, which is caused only by a lack of memory or randomness.
public struct SigningFailure: Error, Hashable { init() { OpenSSL.forgetErrors() } }

/// A public key for verifying signatures; the key decides the algorithm.
public protocol VerifyingKey: Sendable {
    /// Algorithm that the signatures must have.
    var algorithm: JWSAlgorithm { get }

    /// Whether `signature`, in the format of JWS, is valid for `message`.
    func isValid(_ signature: [UInt8], for message: Span<UInt8>) -> Bool
}

extension VerifyingKey {
    /// Whether `signature`, in the format of JWS, is valid for `message`.
    public func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool { isValid(signature, for: message.span) }
}

/// The supported signature algorithms (RFC 7518 section 3.1); all others are rejected.
public enum JWSAlgorithm: String, Sendable, Hashable {
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    case rs256 = "RS256"
    /// ECDSA on P-256 with SHA-256.
    case es256 = "ES256"
}
