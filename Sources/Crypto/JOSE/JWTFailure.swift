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
