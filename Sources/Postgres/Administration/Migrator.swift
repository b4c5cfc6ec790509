/// Brings a database forward by the numbered files of a folder, each in one transaction, each once.
///
/// Table `pippin_migrations` remembers number, name and SHA-256 of what was applied. A file that was applied
/// never changes again; what follows is a new file.
public struct Migrator: Sendable {
    /// What the folder holds, by number.
    public let migrations: [Migration]

    /// Any number does that nothing else locks; this one spells "pippin".
    private static let lock = "123598160292206"

    /// Reads the folder; a name out of line is refused here, a number when it is compared with the database.
    public init(folder: String) throws(MigrationFailure) {
        migrations = try MigrationFolder.read(folder)
    }

    /// Applies what the database lacks and returns it.
    ///
    /// Processes that start together wait for one another, and one of them does the work. When a file is refused
    /// those before it stay applied.
    @discardableResult
    public func migrate(_ connection: borrowing AdminConnection) throws(MigrationFailure) -> [Migration] {
        // The lock belongs to the session, so the server drops it should we die.
        try Self.query(connection, "SELECT pg_advisory_lock($1)", Self.lock)
        defer { _ = try? connection.execute("SELECT pg_advisory_unlock($1)", [Self.lock]) }
        try Self.query(connection, AppliedMigration.table)
        let pending = try pending(connection)
        for migration in pending { try apply(migration, connection) }
        return pending
    }

    /// What the database lacks; nothing is changed.
    public func pending(_ connection: borrowing AdminConnection) throws(MigrationFailure) -> [Migration] {
        let applied = try applied(connection)
        for row in applied { try compare(row, connection) }
        let pending = migrations.filter { migration in !applied.contains { $0.number == migration.number } }
        if let first = pending.first, let last = applied.last, first.number < last.number {
            throw .outOfOrder(first.name, after: last.name)
        }
        if let (_, stray) = zip(1..., migrations).first(where: { $0 != $1.number }) {
            throw .gap(before: stray.name)
        }
        return pending
    }

    private func applied(_ connection: borrowing AdminConnection) throws(MigrationFailure)
        -> [AppliedMigration]
    {
        guard try Self.query(connection, AppliedMigration.presence) == [["t"]] else { return [] }
        return try Self.query(connection, AppliedMigration.selection).compactMap(AppliedMigration.init)
    }

    private func compare(
        _ row: AppliedMigration,
        _ connection: borrowing AdminConnection
    ) throws(MigrationFailure) {
        guard let migration = migrations.first(where: { $0.number == row.number }) else {
            throw .missing(row.name)
        }
        guard migration.name == row.name else { throw .renamed(migration.name, appliedAs: row.name) }
        let checksum = try Self.query(connection, AppliedMigration.checksum, migration.statements)
        guard checksum == [[row.checksum]] else { throw .changed(migration.name) }
    }

    private func apply(_ migration: Migration, _ connection: borrowing AdminConnection)
        throws(MigrationFailure)
    {
        let isWhole: Bool
        do throws(AdminFailure) {
            isWhole = try run(migration, connection)
        } catch {
            // A lost connection has rolled back by itself.
            _ = try? connection.execute("ROLLBACK")
            throw .refused(name: migration.name, line: migration.line(of: error), error)
        }
        guard isWhole else { throw .endsTransaction(migration.name) }
    }

    /// False when the file ended its transaction; what it did cannot be taken back then, and is not remembered.
    private func run(_ migration: Migration, _ connection: borrowing AdminConnection) throws(AdminFailure)
        -> Bool
    {
        // The owner that says so is not held by the walls between teams (migration 0049).
        try connection.execute("BEGIN; SET LOCAL pippin.owner = 'on'")
        let transaction = try connection.execute("SELECT pg_current_xact_id()::text", [])
        try connection.execute(migration.statements)
        guard try connection.execute("SELECT pg_current_xact_id()::text", []) == transaction else {
            try connection.execute("ROLLBACK")
            return false
        }
        // What the file has set must colour neither the next line nor the next file.
        try connection.execute("RESET ROLE; RESET ALL")
        try connection.execute(
            AppliedMigration.insertion,
            [String(migration.number), migration.name, migration.statements]
        )
        try connection.execute("COMMIT")
        return true
    }

    @discardableResult
    private static func query(
        _ connection: borrowing AdminConnection,
        _ statement: String,
        _ values: String?...
    ) throws(MigrationFailure) -> [[String?]] {
        do throws(AdminFailure) {
            return try connection.execute(statement, values)
        } catch {
            throw .database(error)
        }
    }
}
