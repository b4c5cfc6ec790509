private import FoundationEssentials

/// JSON of RFC 8259, parsed by FoundationEssentials behind a bound on nesting.
public enum JSON {
    /// Why a text was refused.
    ///
    /// `path` names the member, dotted, as far as it is known.
    public enum Failure: Error, Equatable, Sendable {
        case tooDeep(limit: Int)
        case malformed
        case mismatch(path: String, expected: String)
    }

    /// Decodes `bytes` as a `Value`.
    ///
    /// The depth is counted before parsing: a recursive parser overflows its stack on 20,000 brackets.
    public static func decode<Value: Decodable>(
        _ type: Value.Type,
        from bytes: [UInt8],
        maxDepth: Int = 32
    ) throws(Failure) -> Value {
        guard depth(of: bytes) <= maxDepth else { throw .tooDeep(limit: maxDepth) }
        do {
            return try JSONDecoder().decode(type, from: Data(bytes))
        } catch let error as DecodingError {
            throw failure(error)
        } catch {
            throw .malformed
        }
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

    /// How deep objects and arrays are nested, brackets inside strings apart.
    static func depth(of bytes: [UInt8]) -> Int {
        var depth = 0
        var deepest = 0
        var inString = false
        var escaped = false
        for byte in bytes {
            if inString {
                if escaped {
                    escaped = false
                } else if byte == UInt8(ascii: "\\") {
                    escaped = true
                } else if byte == UInt8(ascii: "\"") {
                    inString = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): inString = true
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                deepest = max(deepest, depth)
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            default: break
            }
        }
        return deepest
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
