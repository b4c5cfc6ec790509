public import Core

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
