import Bytes

/// A statement: its text can only be a literal, its values can only be binds.
///
/// `"SELECT name FROM teams WHERE id = \(id)"` becomes `SELECT name FROM teams WHERE id = $1` with one bind.
public struct SQL: ExpressibleByStringInterpolation, Equatable, Sendable {
    let text: String
    let parameters: Parameters
    /// Whether connections keep it prepared under a name of its own.
    private(set) var isKept = true
    /// The row that it locks first, where that is known.
    var row: LockedRow?

    public init(stringLiteral value: StaticString) {
        text = value.description
        parameters = Parameters()
    }

    public init(stringInterpolation parts: Parts) {
        text = parts.text
        parameters = parts.parameters
    }

    /// Collects text and binds.
    public struct Parts: StringInterpolationProtocol {
        var text = ""
        var parameters = Parameters()

        public init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + 3 * interpolationCount)
        }

        public mutating func appendLiteral(_ literal: StaticString) {
            literal.withUTF8Buffer { buffer in
                unsafe text += String(decoding: buffer, as: UTF8.self)
            }
        }

        public mutating func appendInterpolation(_ value: some SQLBindable) {
            parameters.append(value)
            text += "$"
            text += String(parameters.count)
        }

        /// Binds NULL where there is no value.
        public mutating func appendInterpolation<Value: SQLBindable>(_ value: Value?) {
            parameters.append(value)
            text += "$"
            text += String(parameters.count)
        }

        /// Splices a fragment that is itself a literal with binds; its binds are numbered on.
        public mutating func appendInterpolation(_ fragment: SQL) {
            text += fragment.renumbered(after: parameters.count)
            parameters.append(contentsOf: fragment.parameters)
        }
    }
}

extension SQL {
    /// The same statement for this one time: planned for its very values, and nothing of it is kept.
    public func once() -> SQL {
        var sql = self
        sql.isKept = false
        return sql
    }

    /// The text with `$1` become `$<count + 1>` and so on.
    fileprivate func renumbered(after count: Int) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let character = rest.popFirst() {
            bytes.append(character)
            let digits = rest.prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
            guard character == UInt8(ascii: "$"), let number = Int(Substring(digits)) else { continue }
            bytes.append(decimal: number + count)
            rest = rest.dropFirst(digits.count)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// The binds of a statement in PostgreSQL's binary format, one buffer for all.
struct Parameters: Equatable, Sendable {
    private(set) var types: [UInt32] = []
    /// Where each value lies in `bytes`; a negative length is NULL.
    private(set) var slices: [Slice] = []
    private(set) var bytes: [UInt8] = []

    struct Slice: Equatable, Sendable {
        var offset: Int
        let length: Int32
    }

    var count: Int { types.count }

    mutating func append<Value: SQLBindable>(_ value: Value) {
        let offset = bytes.count
        let isNull = !value.encode(into: &bytes)
        types.append(Value.sqlType)
        slices.append(Slice(offset: offset, length: isNull ? -1 : Int32(clamping: bytes.count - offset)))
    }

    mutating func append(contentsOf other: Parameters) {
        let offset = bytes.count
        types += other.types
        slices += other.slices.map { Slice(offset: $0.offset + offset, length: $0.length) }
        bytes += other.bytes
    }
}
