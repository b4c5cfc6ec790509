/// Why a JWT was refused.
public enum JWTFailure: Error, Hashable {
    /// More bytes than allowed.
    case tooLarge
    /// Not three parts of canonical base64url, the signature among them.
    case malformed
    /// The header is no JSON object, has a member twice or nests too deeply, or `kid` or `typ` is no string.
    case malformedHeader
    /// The claims are no JSON object, have a member twice or nest too deeply.
    case malformedClaims
    /// `alg` is missing or not spoken here: `none`, `HS256` …
    case unsupportedAlgorithm(String)
    /// `crit` names an extension that must be understood; none is (RFC 7515 section 4.1.11).
    case unsupportedExtension
    /// `alg` is not what the key is for.
    case wrongAlgorithm(expected: JWSAlgorithm)
    /// The signature is not that of the key.
    case invalidSignature
}
