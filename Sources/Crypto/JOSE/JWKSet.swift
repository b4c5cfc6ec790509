internal import Core

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
