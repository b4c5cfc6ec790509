import CPostgreSQL

/// The rows of one result.
// @unchecked Sendable: libpq never changes a finished PGresult, and it is freed once, by the last owner.
@safe public final class Rows: @unchecked Sendable, RandomAccessCollection {
    private let result: OpaquePointer

    init(owning result: OpaquePointer) { unsafe self.result = result }

    deinit { unsafe PQclear(result) }

    public var startIndex: Int { 0 }
    public var endIndex: Int { unsafe Int(PQntuples(result)) }
    public subscript(index: Int) -> Row { Row(rows: self, index: Int32(index)) }

    /// Tag of the executed command, such as `COMMIT`.
    var command: String { unsafe PQcmdStatus(result).map { unsafe String(cString: $0) } ?? "" }

    /// Memory that the result takes up, in octets.
    public var octets: Int { unsafe PQresultMemorySize(result) }

    /// Number of rows that an INSERT, UPDATE or DELETE without RETURNING changed.
    public var changed: Int { unsafe PQcmdTuples(result).flatMap { unsafe Int(String(cString: $0)) } ?? 0 }

    /// Octets of a column, valid as long as the rows are.
    fileprivate func field(row: Int32, column: Int32) -> Field {
        guard unsafe column < PQnfields(result) else { return unsafe .missing }
        if unsafe PQgetisnull(result, row, column) == 1 { return unsafe .null }
        return unsafe .octets(
            UnsafeRawBufferPointer(start: PQgetvalue(result, row, column), count: Int(PQgetlength(result, row, column)))
        )
    }
}

/// Content of a column.
@usableFromInline @unsafe enum Field {
    case missing
    case null
    case octets(UnsafeRawBufferPointer)
}

/// One row, read column by column from the left.
///
/// `let id: String = try row.next()` reads the next column; an `Optional` accepts NULL too.
public struct Row: Sendable {
    private let rows: Rows
    private let index: Int32
    @usableFromInline private(set) var column: Int32 = 0

    init(rows: Rows, index: Int32) {
        self.rows = rows
        self.index = index
    }

    /// Reads the next column, which must not be NULL.
    ///
    /// Inlinable, as is what it calls: otherwise each column costs a look-up of its type at run time, which was a fifth
    /// of a page with a list.
    @inlinable public mutating func next<Value: SQLReadable>(_ type: Value.Type = Value.self) throws(PostgresFailure)
        -> Value
    {
        let column = self.column
        guard case .octets(let octets) = unsafe take(), let value = unsafe Value.decode(octets) else {
            throw .unreadable(column: Int(column), as: "\(type), not NULL")
        }
        return value
    }

    /// Reads the next column; nil if it is NULL.
    @inlinable public mutating func next<Value: SQLReadable>(_ type: Value?.Type = Value?.self) throws(PostgresFailure)
        -> Value?
    {
        let column = self.column
        switch unsafe take() {
        case .null: return nil
        case .octets(let octets): if let value = unsafe Value.decode(octets) { return value }
        case .missing: break
        }
        throw .unreadable(column: Int(column), as: "\(Value.self)")
    }

    @usableFromInline mutating func take() -> Field {
        defer { column += 1 }
        return unsafe rows.field(row: index, column: column)
    }
}

extension Rows {
    /// Reads every row as a value.
    public func all<Value>(_ read: (inout Row) throws(PostgresFailure) -> Value) throws(PostgresFailure) -> [Value] {
        var values: [Value] = []
        values.reserveCapacity(count)
        for var row in self { values.append(try read(&row)) }
        return values
    }

    /// Reads the only column of every row.
    public func column<Value: SQLReadable>() throws(PostgresFailure) -> [Value] {
        try all { (row: inout Row) throws(PostgresFailure) in try row.next() }
    }

    /// Reads the first row as a value; nil if there is none.
    public func firstValue<Value>(_ read: (inout Row) throws(PostgresFailure) -> Value) throws(PostgresFailure)
        -> Value?
    {
        guard var row = first else { return nil }
        return try read(&row)
    }

    /// Reads the only column of the first row; nil if there is none.
    public func firstValue<Value: SQLReadable>() throws(PostgresFailure) -> Value? {
        try firstValue { (row: inout Row) throws(PostgresFailure) in try row.next() }
    }

    /// Reads the first row of a statement that always returns one.
    public func only<Value>(_ read: (inout Row) throws(PostgresFailure) -> Value) throws(PostgresFailure) -> Value {
        guard let value = try firstValue(read) else { throw .unreadable(column: 0, as: "a row") }
        return value
    }
}
