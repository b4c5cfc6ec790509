public import Core

/// A public key as a JSON Web Key (RFC 7517, RFC 7518 section 6).
public struct JWK: Sendable {
    /// The supported types of keys.
    public enum Key: Sendable {
        /// `kty` is `RSA`.
        case rsa(RSAPublicKey)
        /// `kty` is `EC` and `crv` is `P-256`.
        case p256(P256PublicKey)
    }

    /// The public key.
    public let key: Key
    /// `kid`.
    public let keyID: String?

    /// Creates a JWK from a key and its `kid`.
    public init(_ key: Key, keyID: String?) {
        self.key = key
        self.keyID = keyID
    }

    /// Reads a member of a key set.
    ///
    /// A key for another use or algorithm is rejected, so that no signature is verified with it by way of its `kid`.
    public init(_ json: JSONValue) throws(KeyFailure) {
        guard json["use"] == nil || json["use"] == "sig" else { throw .unsupportedAlgorithm("use") }
        switch json["kty"]?.string {
        case "RSA": key = try .rsa(RSAPublicKey(modulus: Self.number("n", json), exponent: Self.number("e", json)))
        case "EC":
            guard json["crv"] == "P-256" else { throw .unsupportedCurve(json["crv"]?.string ?? "") }
            key = try .p256(P256PublicKey(x: Self.number("x", json), y: Self.number("y", json)))
        case let type: throw .unsupportedAlgorithm(type ?? "")
        }
        keyID = json["kid"]?.string
        guard json["alg"] == nil || json["alg"]?.string == verifyingKey.algorithm.rawValue else {
            throw .unsupportedAlgorithm(json["alg"]?.string ?? "")
        }
    }

    /// The key, for verifying signatures.
    public var verifyingKey: any VerifyingKey {
        switch key {
        case .rsa(let key): key
        case .p256(let key): key
        }
    }

    /// The members `kty`, `kid`, `use`, and `alg`, then the numbers, in the order that Apple uses.
    public var json: [UInt8] {
        var writer = JSONWriter()
        switch key {
        case .rsa: writer.member("kty", "RSA")
        case .p256: writer.member("kty", "EC")
        }
        if let keyID { writer.member("kid", keyID) }
        writer.member("use", "sig")
        writer.member("alg", verifyingKey.algorithm.rawValue)
        switch key {
        case .rsa(let key):
            writer.member("n", Base64URL.encode(key.modulus))
            writer.member("e", Base64URL.encode(key.exponent))
        case .p256(let key):
            let (x, y) = key.coordinates
            writer.member("crv", "P-256")
            writer.member("x", Base64URL.encode(x))
            writer.member("y", Base64URL.encode(y))
        }
        return writer.finish()
    }

    /// The thumbprint (RFC 7638) with SHA-256 in base64url, over the required members in alphabetical order.
    public var thumbprint: String {
        var writer = JSONWriter()
        switch key {
        case .rsa(let key):
            writer.member("e", Base64URL.encode(key.exponent))
            writer.member("kty", "RSA")
            writer.member("n", Base64URL.encode(key.modulus))
        case .p256(let key):
            let (x, y) = key.coordinates
            writer.member("crv", "P-256")
            writer.member("kty", "EC")
            writer.member("x", Base64URL.encode(x))
            writer.member("y", Base64URL.encode(y))
        }
        return Base64URL.encode(SHA256.hash(writer.finish()))
    }

    private static func number(_ name: String, _ json: JSONValue) throws(KeyFailure) -> [UInt8] {
        guard let text = json[name]?.string, let bytes = Base64URL.decode(text) else { throw .malformed }
        return bytes
    }
}

/// The public keys of an issuer (RFC 7517 section 5).
public struct JWKSet: Sendable {
    /// Maximum length of a set in bytes.
    public static let maximumCount = 65_536
    /// Maximum number of keys in a set.
    public static let maximumKeys = 32

    /// The keys, in the issuer's order.
    public let keys: [JWK]

    /// The reason a set was rejected.
    public enum Failure: Error, Hashable {
        /// More than `maximumCount` bytes or `maximumKeys` keys.
        case tooLarge
        /// Not a JSON object with an array `keys`.
        case malformed
    }

    /// Creates a set of keys.
    public init(_ keys: [JWK]) { self.keys = keys }

    /// Reads a set; unsupported keys are left out, as RFC 7517 section 5 asks.
    public init(json: [UInt8]) throws(Failure) {
        guard json.count <= Self.maximumCount else { throw .tooLarge }
        guard let set = try? JSON.object(json), case .array(let keys)? = set["keys"] else { throw .malformed }
        guard keys.count <= Self.maximumKeys else { throw .tooLarge }
        self.keys = keys.compactMap { try? JWK($0) }
    }

    /// The key with this ID, if no other key has it and it is for this algorithm.
    public func key(id: String, algorithm: JWSAlgorithm) -> (any VerifyingKey)? {
        let named = keys.filter { $0.keyID == id }
        guard named.count == 1, let key = named.first?.verifyingKey, key.algorithm == algorithm else { return nil }
        return key
    }

    /// The set as JSON.
    public var json: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append("{\"keys\":[" as StaticString)
        for (index, key) in keys.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes.append(contentsOf: key.json)
        }
        bytes.append("]}" as StaticString)
        return bytes
    }
}
