/// Why a key was not accepted; each case is worth its own advice to the person who brought it.
public enum KeyFailure: Error, Hashable {
    /// No `-----BEGIN …-----` line.
    case notPEM
    /// No matching `-----END …-----` line, or something other than base 64 between the two.
    case incomplete
    /// More than one PEM block, where it is not clear which is meant.
    case severalBlocks
    /// More than `PEM.maximumCount` bytes.
    case tooLarge
    /// A private key behind a pass phrase.
    case encrypted
    /// A public key where a private one is needed.
    case publicKey
    /// A private key where a public one is needed.
    case privateKey
    /// Another kind of PEM block, such as `CERTIFICATE` or `EC PRIVATE KEY` (not PKCS#8).
    case unsupportedLabel(String)
    /// A key for another algorithm, by OpenSSL's name, such as `RSA` where `EC` is needed.
    case unsupportedAlgorithm(String)
    /// An elliptic curve other than P-256, by OpenSSL's name; empty when the curve has none.
    case unsupportedCurve(String)
    /// An RSA modulus outside 2,048 to 8,192 bits.
    case unsupportedSize(bits: Int)
    /// The numbers do not make a key, or its two halves do not belong together.
    case malformed
}
