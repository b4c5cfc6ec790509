public import Core
public import Platform
public import Postgres

/// A tenant, to which all other data belongs.
public struct Team: Hashable, Sendable {
    public let id: TeamID
    public let settings: TeamSettings
    /// Whether this is the system team, whose users are the console accounts; it is in no list.
    public let isSystem: Bool
    /// Incremented by every change, so that concurrent edits do not overwrite each other.
    public let version: Int
    public let createdAt: Timestamp
    /// When the team will be deleted, if an owner has requested that and it was not cancelled.
    public let deletionDueAt: Timestamp?
    /// When the team was closed to apps and users, at the end of the grace period; the deletion is then final.
    public let closedAt: Timestamp?
    /// When the team was deleted; since then it is visible only to operators.
    public let deletedAt: Timestamp?

    /// The columns that `init(_:)` reads, from a table with the alias `t`.
    static var columns: SQL {
        """
        t.team_id, \(TeamSettings.columns), t.is_system, t.version, t.created_at, t.deletion_due_at, t.closed_at,
        t.deleted_at
        """
    }
}

extension Team {
    /// The team, unless it was deleted.
    public static func selection(of id: TeamID) -> SQL {
        "SELECT \(columns) FROM teams t WHERE t.team_id = \(id) AND t.deleted_at IS NULL"
    }

    public init(_ row: inout Row) throws(PostgresFailure) {
        self.init(
            id: try row.next(), settings: try TeamSettings(&row), isSystem: try row.next(), version: try row.next(),
            createdAt: try row.next(), deletionDueAt: try row.next(), closedAt: try row.next(),
            deletedAt: try row.next())
    }
}

/// The name of a team: one line of text.
public struct TeamName: SQLText, Hashable, Sendable, CustomStringConvertible {
    /// In Unicode scalars, as the constraint of the table counts.
    public static let maximumLength = 100

    public let rawValue: String

    /// The name as one line; nil when it is empty or too long.
    public init?(rawValue: String) {
        let name = rawValue.typedLine
        guard (1...Self.maximumLength).contains(name.unicodeScalars.count) else { return nil }
        self.rawValue = name
    }

    init(parsing text: String) throws(ValidationError) {
        guard let name = TeamName(rawValue: text) else { throw .teamName }
        self = name
    }

    public var description: String { rawValue }
}

/// Reads the names of many teams, for lists.
public struct TeamNameStore: Sendable {
    private let database: SystemDatabase

    public init(_ database: SystemDatabase) { self.database = database }

    /// Returns the names of those of the teams that exist, including the system team.
    public func names(of teams: Set<TeamID>) async throws(PostgresFailure) -> [TeamID: String] {
        guard !teams.isEmpty else { return [:] }
        let rows = try await database.query(
            "SELECT team_id, name FROM teams WHERE team_id = ANY (\(teams.map(\.rawValue)))")
        var names: [TeamID: String] = [:]
        for var row in rows { names[try row.next()] = try row.next(String.self) }
        return names
    }
}

/// Obligations of a team to third parties that must be met before its rows are deleted.
public protocol TeamObligations: Sendable {
    /// Resumes obligations that were given up; called once, in the change that closes the team.
    func begin(_ change: borrowing Change) async throws(PostgresFailure)

    /// Starts up to `batch` obligations, and returns how many: zero when all are started.
    func continueDeletion(in team: TeamID, batch: Int) async throws(PostgresFailure) -> Int

    /// Records the obligations that can never be met, unless some are still in progress.
    ///
    /// - Returns: false when the team's deletion has to wait.
    func conclude(_ change: borrowing Change) async throws(PostgresFailure) -> Bool
}
