/// The reason a key was rejected; each case has its own advice for the user.
public enum KeyFailure: Error, Hashable {
    /// The text has no `-----BEGIN …-----` line.
    case notPEM
    /// The text has no matching `-----END …-----` line, or something other than base64 between the two.
    case incomplete
    /// The text has more than one PEM block, so that it is unclear which is meant.
    case severalBlocks
    /// The text is longer than `PEM.maximumCount` bytes.
    case tooLarge
    /// A private key encrypted with a passphrase.
    case encrypted
    /// A public key where a private one is required.
    case publicKey
    /// A private key where a public one is required.
    case privateKey
    /// Another kind of PEM block, such as `CERTIFICATE` or `EC PRIVATE KEY` (not PKCS#8).
    case unsupportedLabel(String)
    /// A key for another algorithm, by OpenSSL's name, such as `RSA` where `EC` is required.
    case unsupportedAlgorithm(String)
    /// An elliptic curve other than P-256, by OpenSSL's name; empty if the curve has no name.
    case unsupportedCurve(String)
    /// An RSA modulus outside 2,048 to 8,192 bits.
    case unsupportedSize(bits: Int)
    /// The numbers do not form a key, or its private and public halves do not match.
    case malformed
}
