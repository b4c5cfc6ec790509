private import FoundationEssentials

/// JSON (RFC 8259): a strict reader for all input, and FoundationEssentials for encoding and for decoding into types.
public enum JSON {
    /// The reason a JSON text was rejected.
    ///
    /// `path` is the dotted path of the member, as far as it is known.
    public enum Failure: Error, Equatable, Sendable {
        case tooDeep(limit: Int)
        case tooMany(limit: Int)
        case duplicateMember(String)
        case malformed
        case mismatch(path: String, expected: String)
    }

    /// Limits on the contents of a JSON text.
    struct Limits {
        /// Maximum nesting of objects and arrays.
        let depth: Int
        /// Maximum number of values of every kind, over all levels.
        let values: Int
        /// Whether text may contain controls, NUL and half a surrogate pair; the last two become U+FFFD.
        var repairsText = false
    }

    /// Decodes `bytes` as a `Value`.
    ///
    /// Only UTF-8 is accepted: FoundationEssentials alone also reads UTF-16 and UTF-32, in which limits that are
    /// counted in octets detect no brackets.
    ///
    /// - Parameters:
    ///   - maxDepth: maximum nesting of objects and arrays.
    ///   - maxValues: maximum number of values of every kind, over all levels; the default is far above what database
    ///     rows contain.
    public static func decode<Value: Decodable>(
        _ type: Value.Type, from bytes: [UInt8], maxDepth: Int = 32, maxValues: Int = 1_000_000
    ) throws(Failure) -> Value {
        let read = try JSONReader.value(bytes, Limits(depth: maxDepth, values: maxValues))
        if let value = read as? Value { return value }
        do { return try JSONDecoder().decode(type, from: Data(bytes)) } catch let error as DecodingError {
            throw failure(error)
        } catch { throw .malformed }
    }

    /// Parses a small JSON object from untrusted input and returns its members.
    public static func object(_ bytes: [UInt8], maxDepth: Int = 8, maxValues: Int = 1000) throws(Failure) -> [String:
        JSONValue]
    { try object(bytes, Limits(depth: maxDepth, values: maxValues)) }

    /// Parses a small JSON object as `object(_:)` does, but for faults of its text, which are repaired: for what is sent
    /// once and better read in part than not at all.
    public static func object(repairing bytes: [UInt8], maxDepth: Int = 8, maxValues: Int = 1000) throws(Failure)
        -> [String: JSONValue]
    { try object(bytes, Limits(depth: maxDepth, values: maxValues, repairsText: true)) }

    private static func object(_ bytes: [UInt8], _ limits: Limits) throws(Failure) -> [String: JSONValue] {
        let read = try JSONReader.value(bytes, limits)
        guard case .object(let members) = read else { throw .malformed }
        return members
    }

    /// Encodes `value`; `pretty` adds line breaks and sorts members, so that the output is reproducible.
    public static func encode(_ value: some Encodable, pretty: Bool = false) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting =
            pretty ? [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes] : [.withoutEscapingSlashes]
        guard let data = try? encoder.encode(value) else {
            preconditionFailure("a value of \(type(of: value)) does not encode as JSON")
        }
        return [UInt8](data)
    }

    private static func failure(_ error: DecodingError) -> Failure {
        switch error {
        case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
            .mismatch(path: path(context.codingPath), expected: String(describing: type))
        case .keyNotFound(let key, let context): .mismatch(path: path(context.codingPath + [key]), expected: "a value")
        case .dataCorrupted(let context) where !context.codingPath.isEmpty:
            .mismatch(path: path(context.codingPath), expected: context.debugDescription)
        default: .malformed
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        keys.map { key in key.intValue.map { "[\($0)]" } ?? key.stringValue }.joined(separator: ".")
    }
}
