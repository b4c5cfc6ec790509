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

    /// Reads the first row of a statement that always returns one.
    public func only<Value>(_ read: (inout Row) throws(PostgresFailure) -> Value) throws(PostgresFailure) -> Value {
        guard let value = try firstValue(read) else { throw .unreadable(column: 0, as: "a row") }
        return value
    }
}
