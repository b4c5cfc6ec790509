import Core
public import Platform
public import Postgres

/// Stores the members of teams and their roles.
public struct MembershipStore: Sendable {
    /// Why an account was not added.
    public enum Failure: Error, Equatable, Sendable {
        /// No user of the system team has that `sub`.
        case unknownAccount
        case alreadyMember
        /// The team has as many members as it may.
        case teamFull
        /// An operator can belong only to the system team, and that team has only operators.
        case roleNotOfTeam
    }

    let database: TeamDatabase

    public init(_ database: TeamDatabase) { self.database = database }

    /// Returns the team and the account's role in it, or nil for non-members, who must not learn that the team exists.
    ///
    /// One lookup in each of two primary keys, made by every request to a team's pages.
    public func find(_ account: Subject, in team: TeamID) async throws(PostgresFailure) -> Membership? {
        let rows = try await database.query(
            """
            SELECT \(Team.columns), m.role
            FROM memberships m JOIN teams t ON t.team_id = m.team_id
            WHERE m.team_id = \(team) AND m.sub = \(account) AND NOT t.is_system AND t.deleted_at IS NULL
            """, in: team)
        guard var row = rows.first else { return nil }
        return Membership(team: try Team(&row), role: try row.next())
    }

    /// Whether the account is an operator of the installation, as a member of the system team.
    public func isOperator(_ account: Subject) async throws(PostgresFailure) -> Bool {
        let rows = try await database.query(
            """
            SELECT FROM memberships
            WHERE team_id = \(TeamID.system) AND sub = \(account) AND role = \(Role.operator)
            """, in: .system)
        return !rows.isEmpty
    }

    /// Returns the account as a member of the team, or nil when it is not one.
    public func member(_ account: Subject, in team: TeamID) async throws(PostgresFailure) -> Member? {
        let rows = try await database.query(
            "SELECT sub, role, created_at FROM memberships WHERE team_id = \(team) AND sub = \(account)", in: team)
        return try rows.firstValue(Member.init)
    }

    /// Returns the members of a team, oldest first.
    ///
    /// Of a team with more members than the limit, the owners and the oldest others, up to the limit.
    public func list(in team: TeamID) async throws(PostgresFailure) -> [Member] {
        let rows = try await database.query(
            """
            SELECT sub, role, created_at FROM (
                SELECT sub, role, created_at FROM memberships
                WHERE team_id = \(team)
                ORDER BY role <> \(Role.owner), created_at, sub
                LIMIT \(Quota.members.count)
            ) AS shown
            ORDER BY created_at, sub
            """, in: team)
        return try rows.all(Member.init)
    }

    /// Adds a console account to a team.
    ///
    /// - Throws: `Failure`, `PostgresFailure`.
    public func add(_ account: Subject, as role: Role, to team: TeamID, by actor: Actor, from origin: Origin)
        async throws
    {
        try await database.transaction(in: team) { transaction in
            try await Self.add(account, as: role, to: team, by: actor, from: origin, transaction)
        }
    }

    /// Adds a console account in the caller's transaction, which must be under the team's setting; after any error but
    /// `alreadyMember` the transaction must be rolled back.
    ///
    /// - Throws: `Failure`, `PostgresFailure`.
    public static func add(
        _ account: Subject, as role: Role, to team: TeamID, by actor: Actor, from origin: Origin,
        _ transaction: borrowing Transaction
    ) async throws {
        guard (role == .operator) == (team == .system) else { throw Failure.roleNotOfTeam }
        try await transaction.lock(team)
        guard try await insert(account, as: role, to: team, transaction) else { throw Failure.alreadyMember }
        guard try await hasRoom(for: 0, in: team, transaction) else { throw Failure.teamFull }
        try await AuditEvent(
            "member.added", by: actor, on: AuditEvent.Target("member", account.rawValue), from: origin,
            after: ["role": .string(role.rawValue)]
        ).record(in: team, transaction)
    }

    /// Whether the team, which is locked, may have so many members more.
    static func hasRoom(for added: Int = 1, in team: TeamID, _ transaction: borrowing Transaction)
        async throws(PostgresFailure) -> Bool
    { try await Quota.members.hasRoom(for: added, beside: "memberships WHERE team_id = \(team)", transaction) }

    /// Inserts a membership; returns false when the account is already a member.
    private static func insert(_ account: Subject, as role: Role, to team: TeamID, _ transaction: borrowing Transaction)
        async throws -> Bool
    {
        do {
            let added = try await transaction.query(
                """
                INSERT INTO memberships (team_id, sub, role) VALUES (\(team), \(account), \(role))
                ON CONFLICT (team_id, sub) DO NOTHING
                """)
            return added.changed == 1
        } catch {
            if error.constraint == "memberships_sub_fkey" { throw Failure.unknownAccount }
            throw error
        }
    }
}
