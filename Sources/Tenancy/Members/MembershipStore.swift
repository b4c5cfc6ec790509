import Audit
import Bytes
public import Domain
public import Postgres

/// Who belongs to a team, and as what.
public struct MembershipStore: Sendable {
    /// Why somebody was not added.
    public enum Failure: Error, Equatable, Sendable {
        /// No user of the system team has that `sub`.
        case unknownAccount
        case alreadyMember
        /// The team has `Member.limit` members already.
        case teamFull
        /// Operators belong to the system team, and the system team has operators only.
        case roleNotOfTeam
    }

    let database: TeamDatabase

    public init(_ database: TeamDatabase) {
        self.database = database
    }

    /// The team and the account's role in it, or nil when it is no member: such a team does not exist for it.
    ///
    /// One look into two primary keys, made by every request to a team's pages.
    public func find(_ account: Subject, in team: TeamID) async throws(PostgresFailure) -> Membership? {
        let rows = try await database.query(
            """
            SELECT \(Team.columns), m.role
            FROM memberships m JOIN teams t ON t.team_id = m.team_id
            WHERE m.team_id = \(team) AND m.sub = \(account) AND NOT t.is_system AND t.deleted_at IS NULL
            """,
            in: team
        )
        guard var row = rows.first else { return nil }
        return Membership(team: try Team(&row), role: try row.next())
    }

    /// Whether the account is an operator of the installation: a member of the system team itself.
    public func isOperator(_ account: Subject) async throws(PostgresFailure) -> Bool {
        let rows = try await database.query(
            """
            SELECT FROM memberships
            WHERE team_id = \(TeamID.system) AND sub = \(account) AND role = \(Role.operator)
            """,
            in: .system
        )
        return !rows.isEmpty
    }

    /// The member as the team sees them, or nil when the account is none.
    public func member(_ account: Subject, in team: TeamID) async throws(PostgresFailure) -> Member? {
        let rows = try await database.query(
            "SELECT sub, role, created_at FROM memberships WHERE team_id = \(team) AND sub = \(account)",
            in: team
        )
        return try rows.firstValue(Member.init)
    }

    /// The members of a team, the oldest first.
    ///
    /// Of a team that has more than it may, owners and the oldest: as many as the limit.
    public func list(in team: TeamID) async throws(PostgresFailure) -> [Member] {
        let rows = try await database.query(
            """
            SELECT sub, role, created_at FROM (
                SELECT sub, role, created_at FROM memberships
                WHERE team_id = \(team)
                ORDER BY role <> \(Role.owner), created_at, sub
                LIMIT \(Member.limit)
            ) AS shown
            ORDER BY created_at, sub
            """,
            in: team
        )
        return try rows.all(Member.init)
    }

    /// Adds a console account to a team.
    ///
    /// - Throws: `Failure`, `PostgresFailure`.
    public func add(
        _ account: Subject,
        as role: Role,
        to team: TeamID,
        by actor: Actor,
        from origin: Origin
    ) async throws {
        try await database.transaction(in: team) { transaction in
            try await Self.add(account, as: role, to: team, by: actor, from: origin, transaction)
        }
    }

    /// Adds a console account in the caller's transaction, which must be under the team's setting; where it throws
    /// anything but `alreadyMember` nothing of the transaction may stay.
    ///
    /// - Throws: `Failure`, `PostgresFailure`.
    public static func add(
        _ account: Subject,
        as role: Role,
        to team: TeamID,
        by actor: Actor,
        from origin: Origin,
        _ transaction: borrowing Transaction
    ) async throws {
        guard (role == .operator) == (team == .system) else { throw Failure.roleNotOfTeam }
        // Of many at once each counts those that the ones before it have added.
        try await hold(team, transaction)
        guard try await insert(account, as: role, to: team, transaction) else { throw Failure.alreadyMember }
        guard try await count(in: team, transaction) <= Member.limit else { throw Failure.teamFull }
        try await AuditEvent(
            "member.added",
            by: actor,
            on: AuditEvent.Target("member", account.rawValue),
            from: origin,
            after: ["role": .string(role.rawValue)]
        )
        .record(in: team, transaction)
    }

    /// Keeps others from joining the team until the transaction ends: ask it first, before anything else of the team is
    /// locked.
    static func hold(_ team: TeamID, _ transaction: borrowing Transaction) async throws(PostgresFailure) {
        try await transaction.query("SELECT FROM teams WHERE team_id = \(team) FOR NO KEY UPDATE")
    }

    /// How many belong to the team, which is held.
    static func count(
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) -> Int {
        let rows = try await transaction.query("SELECT count(*) FROM memberships WHERE team_id = \(team)")
        return try rows.only { (row: inout Row) throws(PostgresFailure) in try row.next() }
    }

    /// False when the account is a member already.
    private static func insert(
        _ account: Subject,
        as role: Role,
        to team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws -> Bool {
        do {
            let added = try await transaction.query(
                """
                INSERT INTO memberships (team_id, sub, role) VALUES (\(team), \(account), \(role))
                ON CONFLICT (team_id, sub) DO NOTHING
                """
            )
            return added.changed == 1
        } catch {
            if error.constraint == "memberships_sub_fkey" { throw Failure.unknownAccount }
            throw error
        }
    }
}
