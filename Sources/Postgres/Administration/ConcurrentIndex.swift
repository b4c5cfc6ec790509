/// The one statement of a file `NNNN_subject.concurrent.sql`: an index that is built while its table is in use.
///
/// It runs in no transaction, and goes on where it was broken off.
struct ConcurrentIndex: Equatable {
    private let kind, name, table, columns: String

    /// Reads `CREATE [UNIQUE] INDEX CONCURRENTLY IF NOT EXISTS name ON table …`; nil for another text.
    init?(_ text: String) {
        let lines = text.split(separator: "\n").filter { !$0.hasPrefix("--") }
        let words = lines.flatMap { $0.split(separator: " ").map(String.init) }
        kind = words.dropFirst().first == "UNIQUE" ? "CREATE UNIQUE INDEX" : "CREATE INDEX"
        let (head, rest) = (words.prefix { $0 != "EXISTS" }, Array(words.drop { $0 != "EXISTS" }.dropFirst()))
        guard head.joined(separator: " ") == kind + " CONCURRENTLY IF NOT", rest.count > 3, rest[1] == "ON",
            (rest[0] + rest[2]).allSatisfy({ $0.isASCII && ($0.isLowercase || $0.isNumber || $0 == "_") })
        else { return nil }
        (name, table) = (rest[0], rest[2])
        let columns = rest[3...].joined(separator: " ")
        self.columns = columns.hasSuffix(";") ? String(columns.dropLast()) : columns
    }

    /// Builds the index; that of a partitioned table on each partition, one after the other.
    func build(on connection: borrowing AdminConnection, _ retry: LockRetry) throws(AdminFailure) {
        let kindOfTable = "SELECT relkind FROM pg_class WHERE oid = to_regclass($1)"
        guard try connection.execute(kindOfTable, [table]) == [["p"]] else {
            return try build(name, of: table, connection)
        }
        try connection.execute(
            "BEGIN; \(retry.setting); \(kind) IF NOT EXISTS \(name) ON ONLY \(table) \(columns); COMMIT")
        while let part = try connection.execute(Self.nextPartition, [table, name]).first?.first ?? nil {
            let index = String("\(part)_\(name)".prefix(63))
            try build(index, of: part, connection)
            try connection.execute("BEGIN; \(retry.setting); ALTER INDEX \(name) ATTACH PARTITION \(index); COMMIT")
        }
    }

    /// Builds an index, anew if it was broken off.
    private func build(_ name: String, of table: String, _ connection: borrowing AdminConnection) throws(AdminFailure) {
        // Waiting for a lock keeps nobody from the table here.
        try connection.execute("SET lock_timeout = 0")
        let isBroken = "SELECT FROM pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid"
        if try !connection.execute(isBroken, [name]).isEmpty {
            try connection.execute("DROP INDEX CONCURRENTLY \(name)")
        }
        try connection.execute("\(kind) CONCURRENTLY IF NOT EXISTS \(name) ON \(table) \(columns)")
    }

    /// Partitions that are made meanwhile have the index from the beginning.
    private static let nextPartition = """
        SELECT relid::regclass FROM pg_partition_tree($1) AS tree
        WHERE isleaf AND NOT EXISTS (
            SELECT FROM pg_inherits JOIN pg_index ON indexrelid = inhrelid
            WHERE inhparent = to_regclass($2) AND indrelid = tree.relid
        )
        LIMIT 1
        """
}
