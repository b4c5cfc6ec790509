import Core

/// An SQL statement: its text can only be a literal, its values can only be bound parameters.
///
/// `"SELECT name FROM teams WHERE id = \(id)"` becomes `SELECT name FROM teams WHERE id = $1` with one parameter.
public struct SQL: ExpressibleByStringInterpolation, Equatable, Sendable {
    let text: String
    let parameters: Parameters
    /// Whether connections keep it as a named prepared statement.
    private(set) var isKept = true
    /// The row that it locks first, if known.
    var row: LockedRow?

    public init(stringLiteral value: StaticString) {
        text = value.description
        parameters = Parameters()
    }

    public init(stringInterpolation parts: Parts) {
        text = parts.text
        parameters = parts.parameters
    }

    /// Collects text and bound parameters.
    public struct Parts: StringInterpolationProtocol {
        var text = ""
        @usableFromInline var parameters = Parameters()

        public init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + 3 * interpolationCount)
        }

        public mutating func appendLiteral(_ literal: StaticString) {
            literal.withUTF8Buffer { buffer in unsafe text += String(decoding: buffer, as: UTF8.self) }
        }

        @inlinable public mutating func appendInterpolation(_ value: some SQLBindable) { bind(value) }

        /// Binds the value, or NULL if it is nil.
        @inlinable public mutating func appendInterpolation<Value: SQLBindable>(_ value: Value?) { bind(value) }

        /// Inlinable, to be specialized for the caller's types.
        @inlinable mutating func bind<Value: SQLBindable>(_ value: Value) {
            let offset = parameters.bytes.count
            let isNull = !value.encode(into: &parameters.bytes)
            appendPlaceholder(Value.sqlType, from: offset, isNull: isNull)
        }

        @usableFromInline mutating func appendPlaceholder(_ type: UInt32, from offset: Int, isNull: Bool) {
            parameters.append(type, from: offset, isNull: isNull)
            text += "$"
            text += String(parameters.count)
        }

        /// Inserts a fragment that is itself a literal with parameters, which are renumbered.
        public mutating func appendInterpolation(_ fragment: SQL) {
            text += fragment.renumbered(after: parameters.count)
            parameters.append(contentsOf: fragment.parameters)
        }
    }
}

extension SQL {
    /// This statement for one-time use: planned for its actual values, and not kept as a prepared statement.
    public func once() -> SQL {
        var sql = self
        sql.isKept = false
        return sql
    }

    /// The text with `$1` replaced by `$<count + 1>` and so on.
    fileprivate func renumbered(after count: Int) -> String {
        guard count > 0, parameters.count > 0 else { return text }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count + parameters.count)
        var rest = text.utf8[...]
        while let character = rest.popFirst() {
            bytes.append(character)
            guard character == UInt8(ascii: "$") else { continue }
            let digits = rest.prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
            guard let number = Int(Substring(digits)) else { continue }
            bytes.append(decimal: number + count)
            rest = rest.dropFirst(digits.count)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension [SQL] {
    /// The fragments in one, with a separator between each two.
    public func joined(separator: SQL) -> SQL {
        var parts = SQL.Parts(literalCapacity: 256, interpolationCount: 0)
        for (index, fragment) in enumerated() {
            if index > 0 { parts.appendInterpolation(separator) }
            parts.appendInterpolation(fragment)
        }
        return SQL(stringInterpolation: parts)
    }
}
