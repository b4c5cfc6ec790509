private import FoundationEssentials

/// JSON of RFC 8259: one strict reader for whatever comes in, FoundationEssentials to write and to fill types.
public enum JSON {
    /// Why a text was refused.
    ///
    /// `path` names the member, dotted, as far as it is known.
    public enum Failure: Error, Equatable, Sendable {
        case tooDeep(limit: Int)
        case tooMany(limit: Int)
        case duplicateMember(String)
        case malformed
        case mismatch(path: String, expected: String)
    }

    /// Why a text that a person wrote was refused, and where.
    public struct Fault: Error, Equatable, Sendable {
        public let failure: Failure
        /// Counted from 1.
        public let line: Int
        /// Code points into the line, counted from 1.
        public let column: Int

        /// - Parameter index: of the octet the reader had come to.
        init(_ failure: Failure, at index: Int, of bytes: [UInt8]) {
            self.failure = failure
            let before = bytes.prefix(index)
            line = before.count { $0 == UInt8(ascii: "\n") } + 1
            let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
            column = before[start...].count { $0 & 0xC0 != 0x80 } + 1
        }
    }

    /// How much a text may hold.
    struct Limits {
        /// Objects and arrays within each other.
        let depth: Int
        /// Values of every kind, all levels together.
        let values: Int
    }

    /// Decodes `bytes` as a `Value`.
    ///
    /// Only plain UTF-8 is read: FoundationEssentials alone would take UTF-16 and UTF-32 for JSON too, in which a bound
    /// that is counted in octets sees no brackets.
    ///
    /// - Parameters:
    ///   - maxDepth: objects and arrays within each other.
    ///   - maxValues: values of every kind, all levels together; the default is far above what rows of ours hold.
    public static func decode<Value: Decodable>(
        _ type: Value.Type,
        from bytes: [UInt8],
        maxDepth: Int = 32,
        maxValues: Int = 1_000_000
    ) throws(Failure) -> Value {
        let read = try JSONReader.value(bytes, Limits(depth: maxDepth, values: maxValues))
        if let value = read as? Value { return value }
        do {
            return try JSONDecoder().decode(type, from: Data(bytes))
        } catch let error as DecodingError {
            throw failure(error)
        } catch {
            throw .malformed
        }
    }

    /// The value of a file that a person wrote, who is told where it is wrong.
    public static func document(
        _ bytes: [UInt8],
        maxDepth: Int,
        maxValues: Int
    ) throws(Fault) -> JSONValue {
        try JSONReader.placedValue(bytes, Limits(depth: maxDepth, values: maxValues))
    }

    /// The members of an object from outside, which holds little.
    public static func object(
        _ bytes: [UInt8],
        maxDepth: Int = 8,
        maxValues: Int = 1000
    ) throws(Failure) -> [String: JSONValue] {
        let read = try JSONReader.value(bytes, Limits(depth: maxDepth, values: maxValues))
        guard case .object(let members) = read else { throw .malformed }
        return members
    }

    /// Encodes `value`; `pretty` adds line breaks, and sorts members so that two runs give one text.
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
        case .keyNotFound(let key, let context):
            .mismatch(path: path(context.codingPath + [key]), expected: "a value")
        case .dataCorrupted(let context) where !context.codingPath.isEmpty:
            .mismatch(path: path(context.codingPath), expected: context.debugDescription)
        default:
            .malformed
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        keys.map { key in key.intValue.map { "[\($0)]" } ?? key.stringValue }.joined(separator: ".")
    }
}
