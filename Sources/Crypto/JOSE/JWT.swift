public import Core

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

/// `at_hash` and `c_hash` of an ID token (OpenID Connect Core 1.0, sections 3.1.3.6 and 3.3.2.11).
public enum TokenHash {
    /// The left half of the SHA-256 of a code or access token in base64url, as required for RS256 and ES256.
    public static func of(_ token: String) -> String {
        Base64URL.encode(SHA256.hash(token).prefix(SHA256.byteCount / 2))
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

/// The claims of a JWT (RFC 7519 section 4), each read as exactly one type.
///
/// A required claim that is absent, null, or of another type is an error; its check is never skipped.
public struct Claims: Sendable, Hashable {
    /// All claims, by name.
    public let members: [String: JSONValue]

    /// The reason a claim could not be read.
    public enum Failure: Error, Hashable {
        /// The claim is absent.
        case missing(String)
        /// The claim is null or of another type, such as a number in quotes, or an integer beyond 64 bits.
        case wrongType(String)
        /// The number is not a date of the years 1970 to 9999.
        case outOfRange(String)
    }

    /// Creates claims from a source other than a JWT.
    public init(_ members: [String: JSONValue]) { self.members = members }

    /// Reads a string claim.
    public func string(_ name: String) throws(Failure) -> String {
        guard case .string(let text) = try required(name) else { throw .wrongType(name) }
        return text
    }

    /// Reads an integer claim, which must be written without decimal point and exponent.
    public func integer(_ name: String) throws(Failure) -> Int64 {
        guard case .integer(let value) = try required(name) else { throw .wrongType(name) }
        return value
    }

    /// Reads a date claim (NumericDate of RFC 7519 section 2) of the years 1970 to 9999, whose fraction is dropped.
    ///
    /// Dates are read only here, so that no unchecked number from a token is ever added or subtracted.
    public func date(_ name: String) throws(Failure) -> NumericDate {
        let value = try required(name)
        if let date = value.floor.flatMap(NumericDate.init(seconds:)) { return date }
        switch value {
        case .integer, .number: throw .outOfRange(name)
        default: throw .wrongType(name)
        }
    }

    /// Reads a boolean claim, given as a boolean or as a string, because Apple sends both forms.
    public func boolean(_ name: String) throws(Failure) -> Bool {
        switch try required(name) {
        case .boolean(let value): value
        case .string("true"): true
        case .string("false"): false
        default: throw .wrongType(name)
        }
    }

    /// Reads the audiences, given as one string or as an array of strings (RFC 7519 section 4.1.3).
    public func audience() throws(Failure) -> [String] {
        switch try required("aud") {
        case .string(let text): return [text]
        case .array(let values):
            let texts = values.compactMap(\.string)
            guard texts.count == values.count, !texts.isEmpty else { throw .wrongType("aud") }
            return texts
        default: throw .wrongType("aud")
        }
    }

    private func required(_ name: String) throws(Failure) -> JSONValue {
        guard let value = members[name] else { throw .missing(name) }
        return value
    }
}

/// The header of a JWS (RFC 7515 section 4).
public struct JOSEHeader: Sendable, Hashable {
    /// `alg`, which is a supported algorithm.
    public let algorithm: JWSAlgorithm
    /// `kid`.
    public let keyID: String?
    /// `typ`.
    public let type: String?
    /// All members, by name, for rules about the contents of a header.
    public let members: [String: JSONValue]

    init(_ bytes: [UInt8]) throws(JWTFailure) {
        guard let members = try? JSON.object(bytes) else { throw .malformedHeader }
        let name = members["alg"]?.string ?? ""
        guard let algorithm = JWSAlgorithm(rawValue: name) else { throw .unsupportedAlgorithm(name.cut(toOctets: 32)) }
        guard members["crit"] == nil else { throw .unsupportedExtension }
        keyID = try Self.text("kid", in: members)
        type = try Self.text("typ", in: members)
        self.algorithm = algorithm
        self.members = members
    }

    private static func text(_ name: String, in members: [String: JSONValue]) throws(JWTFailure) -> String? {
        guard let value = members[name] else { return nil }
        guard let text = value.string else { throw .malformedHeader }
        return text
    }
}
