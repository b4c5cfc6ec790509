/// The public key of a passkey.
public struct CredentialKey: Hashable, Sendable {
    /// Signature algorithm, by its COSE number.
    public enum Algorithm: Int, CaseIterable, Sendable {
        /// ECDSA on P-256 (RFC 9053 section 2.1).
        case es256 = -7
        /// RSASSA-PKCS1-v1_5 (RFC 8812 section 2).
        case rs256 = -257
    }

    public let algorithm: Algorithm
    /// Key in libfido2's format: both coordinates for ES256, modulus and exponent for RS256.
    public let bytes: [UInt8]

    /// Creates a key from stored values, which are validated only when the key is used.
    public init(_ algorithm: Algorithm, _ bytes: [UInt8]) {
        self.algorithm = algorithm
        self.bytes = bytes
    }
}
