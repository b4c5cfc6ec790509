import Postgres

extension Rows {
    /// Every row as a value.
    func all<Value>(
        _ read: (inout Row) throws(PostgresFailure) -> Value
    ) throws(PostgresFailure) -> [Value] {
        var values: [Value] = []
        values.reserveCapacity(count)
        for var row in self { values.append(try read(&row)) }
        return values
    }

    /// The first row as a value, or nil when there is none.
    func firstValue<Value>(
        _ read: (inout Row) throws(PostgresFailure) -> Value
    ) throws(PostgresFailure) -> Value? {
        guard var row = first else { return nil }
        return try read(&row)
    }

    /// The row of a statement that always returns one.
    func only<Value>(
        _ read: (inout Row) throws(PostgresFailure) -> Value
    ) throws(PostgresFailure) -> Value {
        guard let value = try firstValue(read) else { throw .unreadable(column: 0, as: "a row") }
        return value
    }
}
