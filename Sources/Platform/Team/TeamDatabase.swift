public import Postgres

/// Database access as a team: every call names the team, and row-level security hides the rows of other teams.
public struct TeamDatabase: Sendable {
    private let database: Database
    /// The process's part of the counts of limits.
    public let limits: LimitCounts

    /// - Parameters:
    ///   - database: a database whose connections take the role `pippin_app`.
    ///   - limits: the counts that all loops of the process share.
    public init(_ database: Database, limits: LimitCounts = LimitCounts()) {
        self.database = database
        self.limits = limits
    }

    /// Runs one statement in its own transaction.
    @discardableResult public func query(_ sql: SQL, in team: TeamID, durability: Durability = .durable)
        async throws(PostgresFailure) -> Rows
    { try await query([sql], in: team, durability: durability) }

    /// Runs statements in order, in one transaction and one round trip.
    ///
    /// - Returns: the rows of the last statement.
    @discardableResult public func query(_ sql: [SQL], in team: TeamID, durability: Durability = .durable)
        async throws(PostgresFailure) -> Rows
    { try await database.query(sql, setting: Self.setting(team, durability)) }

    /// Runs statements in order, in one transaction and one round trip; each sees what was committed before it began.
    ///
    /// - Returns: the rows of each statement.
    public func queryEach(_ sql: [SQL], in team: TeamID) async throws(PostgresFailure) -> [Rows] {
        try await database.queryEach(sql, setting: Self.setting(team))
    }

    /// Runs a search with a plan made for its actual values.
    ///
    /// A value that occurs a million times in one team occurs once in another, and a generic plan is wrong for both.
    /// The text of a search varies with the request, so that no prepared statement is worth keeping. Teams take turns
    /// at searches, which delay nothing else.
    ///
    /// - Throws: `searchTimedOut` if it takes longer than a user waits (`DatabaseConfiguration.searchTimeout`).
    public func search(_ sql: SQL, in team: TeamID) async throws(PostgresFailure) -> Rows {
        try await database.search(sql.once(), setting: Self.setting(team))
    }

    /// Runs one statement in a group commit with others of the hot path; it is durable when this returns.
    ///
    /// - Parameter row: key of the row that the statement locks; empty if it locks none.
    /// - SeeAlso: `Database.groupCommit`, for the statements it suits.
    @discardableResult public func groupCommit(_ sql: SQL, locking row: [UInt8], in team: TeamID)
        async throws(PostgresFailure) -> Rows
    { try await database.groupCommit(sql, locking: row, setting: Self.setting(team)) }

    /// Runs several statements in a group commit with others of the hot path, all or none of them.
    ///
    /// - Returns: the rows of the last statement.
    @discardableResult public func groupCommit(_ sql: [SQL], locking row: [UInt8], in team: TeamID)
        async throws(PostgresFailure) -> Rows
    { try await database.groupCommit(sql, locking: row, setting: Self.setting(team)) }

    /// Runs `body` in one transaction: committed when it returns, rolled back when it throws.
    ///
    /// - Parameter row: the row that `body` locks first. Other work of this loop that locks it waits before it gets a
    ///   connection, so `body` must not lock it outside its transaction.
    public func transaction<Value>(
        in team: TeamID, locking row: LockedRow? = nil, _ body: (borrowing Transaction) async throws -> Value
    ) async throws -> Value {
        try await database.transaction(setting: Self.setting(team), locking: row) { transaction in
            try await body(transaction)
        }
    }

    /// Runs `body` as one change of the team's data, in one transaction: committed when it returns, rolled back when it
    /// throws.
    ///
    /// - Parameter row: as for `transaction`.
    public func change<Value>(
        in team: TeamID, by actor: Actor, from origin: Origin, locking row: LockedRow? = nil,
        _ body: (borrowing Change) async throws -> Value
    ) async throws -> Value {
        try await database.transaction(setting: Self.setting(team), locking: row) { transaction in
            try await body(Change(in: team, by: actor, from: origin, transaction))
        }
    }

    private static func setting(_ team: TeamID, _ durability: Durability = .durable) -> Setting {
        switch durability {
        case .durable: Setting("SELECT set_config('pippin.team', \(team), true)")
        case .relaxed:
            Setting("SELECT set_config('pippin.team', \(team), true), set_config('synchronous_commit', 'off', true)")
        }
    }
}

/// Whether a crash of the database server may undo an acknowledged change.
public enum Durability: Sendable {
    /// A crash undoes nothing.
    case durable
    /// A crash may undo the most recent changes (`synchronous_commit = off`); for counters and interactions.
    case relaxed
}

extension [TeamID] {
    /// Runs `body` for each team, so that the failure of one does not stop the others.
    ///
    /// - Throws: the first failure, after all teams were processed.
    public func forEachTeam(_ body: (TeamID) async throws -> Void) async throws {
        var failure: (any Error)?
        for team in self { do { try await body(team) } catch { failure = failure ?? error } }
        if let failure { throw failure }
    }
}

extension LockedRow {
    /// A user's row in `users`, locked by transactions that grant or end anything in the user's name.
    public static func person(_ subject: Subject, in team: TeamID) -> LockedRow {
        LockedRow("users", team.rawValue, subject.rawValue)
    }

    /// A team's row in `teams`, locked to count the team's registrations and to raise its registry version.
    public static func team(_ id: TeamID) -> LockedRow { LockedRow("teams", id.rawValue) }
}
