import Glibc

/// Migrates a database with the numbered files of a folder, each once and in one transaction.
///
/// Table `pippin_migrations` stores number, name and SHA-256 of every applied file. An applied file never changes;
/// further changes are a new file.
public struct Migrator: Sendable {
    /// The migrations in the folder, by number.
    public let migrations: [Migration]
    /// How long a lock on a table is waited for, and asked for again.
    var retry = LockRetry()

    /// Key of the advisory lock: any number that nothing else locks; this one spells "pippin".
    public static let lock = "123598160292206"
    /// Settings with which the server soon ends the session of a process, or machine, that has died, whatever it was doing.
    ///
    /// Where it runs on a platform that cannot (no Linux, no BSD), it notices that later.
    private static let session = """
        SET client_connection_check_interval = '2s'; SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 3;
        SET tcp_keepalives_count = 3
        """

    /// Reads the files `NNNN_subject.sql` of the folder; other kinds of files are ignored.
    ///
    /// Rejects wrong names here, and gaps in the numbers in comparison with the database.
    public init(folder: String) throws(MigrationFailure) {
        var migrations: [Migration] = []
        for name in try Self.names(in: folder) {
            guard let number = Migration.number(inName: name) else { throw .misnamed(name) }
            if let last = migrations.last, last.number == number { throw .sameNumber(last.name, name) }
            let statements = try Self.text(of: folder + "/" + name)
            let migration = Migration(number: number, name: name, statements: statements)
            if migration.index == nil, name.hasSuffix(Migration.concurrent) { throw .notAnIndex(name) }
            migrations.append(migration)
        }
        self.migrations = migrations
    }

    private static func names(in path: String) throws(MigrationFailure) -> [String] {
        do throws(FileFailure) {
            return try Folder.names(in: path).filter { $0.hasSuffix(".sql") && !$0.hasPrefix(".") }.sorted()
        } catch { throw .unreadable(path: path, reason: error.reason) }
    }

    private static func text(of path: String) throws(MigrationFailure) -> String {
        let bytes: [UInt8]
        do throws(FileFailure) { bytes = try File.read(path) } catch {
            throw .unreadable(path: path, reason: error.reason)
        }
        guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
            throw .unreadable(path: path, reason: "it is not UTF-8 text")
        }
        return text
    }

    /// What this release asks of the schema.
    public var requirement: SchemaRequirement {
        let needed = migrations.last(where: \.isNeededNow)
        return SchemaRequirement(last: migrations.last?.number ?? 0, needed: needed?.number ?? 0)
    }

    /// Applies the pending migrations and returns them.
    ///
    /// Processes that start together wait for one another, and one of them does the work. If a file is rejected, those
    /// before it stay applied.
    ///
    /// - Parameter waiting: is told what is waited for: another process, or a table, at each attempt to lock that.
    @discardableResult public func migrate(
        _ connection: borrowing AdminConnection, waiting: (String) -> Void = { _ in }
    ) throws(MigrationFailure) -> [Migration] {
        // Who has nothing to apply starts although another process is migrating. What fails is looked at again below.
        if let none = try? pending(connection), none.isEmpty { return [] }
        try lock(connection, waiting)
        defer { _ = try? connection.execute("SELECT pg_advisory_unlock($1)", [Self.lock]) }
        try Self.query(connection, AppliedMigration.table)
        let pending = try pending(connection)
        for migration in pending { try apply(migration, connection, waiting) }
        return pending
    }

    /// Takes the lock of the session, which the server releases if this process dies.
    ///
    /// It is asked for again and again: a statement that waited for it would have a snapshot, for whose end
    /// `CREATE INDEX CONCURRENTLY` of the other process waits.
    private func lock(_ connection: borrowing AdminConnection, _ waiting: (String) -> Void) throws(MigrationFailure) {
        _ = try? connection.execute(Self.session)
        var isWaiting = false
        while try Self.query(connection, "SELECT pg_try_advisory_lock($1)", Self.lock) != [["t"]] {
            if !isWaiting { waiting("waiting for another process, which is migrating the database") }
            isWaiting = true
            usleep(200_000)
        }
    }

    /// The migrations that the database lacks; changes nothing.
    ///
    /// Those that a newer release has applied are none of this one's, if the schema runs with it.
    public func pending(_ connection: borrowing AdminConnection) throws(MigrationFailure) -> [Migration] {
        let (applied, own) = (try applied(connection), requirement)
        for row in applied where row.number <= own.last { try compare(row, connection) }
        if let last = applied.last, let runsWith = applied.map(\.runsWith).max(),
            own.fit(migration: last.number, runsWith: runsWith) == .newer
        {
            throw .newer(last.name, runsWith: runsWith, own: migrations.last?.name ?? "none")
        }
        try compareShape(connection)
        let pending = migrations.filter { migration in !applied.contains { $0.number == migration.number } }
        if let first = pending.first, let last = applied.last, first.number < last.number {
            throw .outOfOrder(first.name, after: last.name)
        }
        if let (_, stray) = zip(1..., migrations).first(where: { $0 != $1.number }) { throw .gap(before: stray.name) }
        return pending
    }

    /// Throws if the walls are not those that the last migration left, which another would take for its own.
    private func compareShape(_ connection: borrowing AdminConnection) throws(MigrationFailure) {
        let presence = "SELECT to_regprocedure('public.pippin_shape_faults()') IS NOT NULL"
        guard try Self.query(connection, presence) == [["t"]] else { return }
        let faults = try Self.query(connection, "SELECT * FROM public.pippin_shape_faults() LIMIT 1")
        if let fault = faults.first?.first ?? nil { throw .otherShape(fault) }
    }

    private func applied(_ connection: borrowing AdminConnection) throws(MigrationFailure) -> [AppliedMigration] {
        guard try Self.query(connection, AppliedMigration.presence) == [["t"]] else { return [] }
        return try Self.query(connection, AppliedMigration.selection).compactMap(AppliedMigration.init)
    }

    private func compare(_ row: AppliedMigration, _ connection: borrowing AdminConnection) throws(MigrationFailure) {
        guard let migration = migrations.first(where: { $0.number == row.number }) else { throw .missing(row.name) }
        guard migration.name == row.name else { throw .renamed(migration.name, appliedAs: row.name) }
        let checksum = try Self.query(connection, AppliedMigration.checksum, migration.statements)
        guard checksum == [[row.checksum]] else { throw .changed(migration.name) }
    }

    /// Applies one migration, again while others hold the locks that it needs.
    private func apply(_ migration: Migration, _ connection: borrowing AdminConnection, _ waiting: (String) -> Void)
        throws(MigrationFailure)
    {
        let end = ContinuousClock.now + retry.limit
        var pause = retry.firstPause
        while true {
            let failure: AdminFailure
            do throws(AdminFailure) {
                if try run(migration, connection) { return }
                break
            } catch { failure = error }
            // A lost connection has already rolled back.
            _ = try? connection.execute("ROLLBACK")
            guard failure.isLockTimeout, .now + pause < end else {
                throw .refused(name: migration.name, line: migration.line(of: failure), failure)
            }
            waiting("migration \(migration.name) waits for a table that is in use, and is tried again")
            usleep(UInt32(pause / .microseconds(1)))
            pause = min(pause * 2, retry.longestPause)
        }
        throw .endsTransaction(migration.name)
    }

    /// Runs one migration; false if the file ended its transaction, whose changes then stay and are not recorded.
    private func run(_ migration: Migration, _ connection: borrowing AdminConnection) throws(AdminFailure) -> Bool {
        _ = try? connection.execute(Self.session)
        if let index = migration.index { try index.build(on: connection, retry) }
        // With this setting row-level security does not restrict the owner of the tables (pippin_owner_acts).
        try connection.execute("BEGIN; SET LOCAL pippin.owner = 'on'; \(retry.setting)")
        let transaction = try connection.execute("SELECT pg_current_xact_id()::text", [])
        if migration.index == nil { try connection.execute(migration.statements) }
        guard try connection.execute("SELECT pg_current_xact_id()::text", []) == transaction else {
            try connection.execute("ROLLBACK")
            return false
        }
        // Settings that the file made must affect neither the next statement nor the next file.
        try connection.reset()
        try connection.execute(
            AppliedMigration.insertion,
            [
                String(migration.number), migration.name, migration.statements, String(migration.runsWith),
                migration.isNeededNow ? "now" : "later",
            ])
        try connection.execute("COMMIT")
        return true
    }

    @discardableResult private static func query(
        _ connection: borrowing AdminConnection, _ statement: String, _ values: String?...
    ) throws(MigrationFailure) -> [[String?]] {
        do throws(AdminFailure) { return try connection.execute(statement, values) } catch { throw .database(error) }
    }
}
