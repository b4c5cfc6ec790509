public import Postgres

/// The database as a team sees it: every statement names the team, and row-level security shows no other's rows.
public struct TeamDatabase: Sendable {
    private let database: Database

    /// - Parameter database: one whose connections take the role `pippin_app`.
    public init(_ database: Database) {
        self.database = database
    }

    /// Runs one statement, committed when this returns.
    @discardableResult
    public func query(_ sql: SQL, in team: TeamID) async throws(PostgresFailure) -> Rows {
        try await database.query(sql, setting: Self.setting(team))
    }

    /// Runs a search, with a plan made for its very values.
    ///
    /// What one team or word has a million of, another has once, and a plan for the average is wrong for both. Their texts
    /// differ with what is asked, so that none is worth keeping. Teams take turns at searches, which hold up nothing else.
    ///
    /// - Throws: `searchTimedOut`, when it takes longer than a person waits.
    public func search(_ sql: SQL, in team: TeamID) async throws(PostgresFailure) -> Rows {
        try await database.search(sql.once(), setting: Self.setting(team))
    }

    /// Runs statements one after the other in one transaction and one round trip, committed when this returns.
    ///
    /// - Returns: the rows of the last one.
    @discardableResult
    public func query(_ sql: [SQL], in team: TeamID) async throws(PostgresFailure) -> Rows {
        try await database.query(sql, setting: Self.setting(team))
    }

    /// Runs one statement, committed when this returns together with others of the hot path.
    ///
    /// See `Database.queryJointly` for what it is good for.
    @discardableResult
    ///
    /// - Parameter row: tells the row it locks from others.
    public func queryJointly(
        _ sql: SQL,
        locking row: [UInt8],
        in team: TeamID
    ) async throws(PostgresFailure) -> Rows {
        try await database.queryJointly(sql, locking: row, setting: Self.setting(team))
    }

    /// Runs statements one after the other in the same way; none is committed without the others.
    ///
    /// - Returns: the rows of the last one.
    @discardableResult
    public func queryJointly(
        _ sql: [SQL],
        locking row: [UInt8],
        in team: TeamID
    ) async throws(PostgresFailure) -> Rows {
        try await database.queryJointly(sql, locking: row, setting: Self.setting(team))
    }

    /// Runs one statement whose effect a crash of the server in the next moments may undo: counters, attempts.
    @discardableResult
    public func queryRelaxed(_ sql: SQL, in team: TeamID) async throws(PostgresFailure) -> Rows {
        try await queryRelaxed([sql], in: team)
    }

    /// Runs statements one after the other in the same way, in one transaction.
    ///
    /// - Returns: the rows of the last one.
    @discardableResult
    public func queryRelaxed(_ sql: [SQL], in team: TeamID) async throws(PostgresFailure) -> Rows {
        try await database.query(sql, setting: Self.relaxedSetting(team))
    }

    /// Runs `body` in one transaction: committed when it returns, rolled back when it throws.
    ///
    /// - Parameter row: what `body` locks first. Others of this loop that lock it wait for their turn before they get a
    ///   connection, so `body` runs nothing beside its transaction that locks it.
    public func transaction<Value>(
        in team: TeamID,
        locking row: LockedRow? = nil,
        _ body: (borrowing Transaction) async throws -> Value
    ) async throws -> Value {
        try await database.transaction(setting: Self.setting(team), locking: row, body)
    }

    private static func setting(_ team: TeamID) -> Setting {
        Setting("SELECT set_config('pippin.team', \(team), true)")
    }

    private static func relaxedSetting(_ team: TeamID) -> Setting {
        Setting(
            """
            SELECT set_config('pippin.team', \(team), true), set_config('synchronous_commit', 'off', true)
            """
        )
    }
}

/// The database before a team is known: the few tables without personal data, under the role `pippin_system`.
///
/// Held by Tenancy, the jobs, the rounds of checks and the watch over registry versions, by nothing else.
public struct SystemDatabase: Sendable {
    private let database: Database

    /// - Parameter database: one whose connections take the role `pippin_system`.
    public init(_ database: Database) {
        self.database = database
    }

    @discardableResult
    public func query(_ sql: SQL) async throws(PostgresFailure) -> Rows {
        try await database.query(sql)
    }
}
