public import Core
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

    /// The account's role in the team, which nobody changes until the transaction ends; nil when it is no member.
    static func heldRole(of account: Subject, in team: TeamID, _ transaction: borrowing Transaction)
        async throws(PostgresFailure) -> Role?
    {
        try await transaction.query(
            "SELECT role FROM memberships WHERE team_id = \(team) AND sub = \(account) FOR SHARE"
        ).firstValue()
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

    /// Applies `change` on behalf of the member `account`, all or nothing.
    ///
    /// The roles are read and locked inside the transaction, so that of two owners who remove each other at once one
    /// remains.
    /// - Throws: `PostgresFailure`.
    public func apply(_ change: MemberChange, by account: Subject, in team: TeamID, from origin: Origin) async throws
        -> MemberChange.Outcome
    {
        try await database.transaction(in: team) { transaction in
            let other = change.subject ?? account
            let roles = try await Self.lock(account, other, in: team, transaction)
            let outcome = Self.decide(change, by: account, roles)
            guard outcome == .done else { return outcome }
            try await Self.perform(change, by: account, roles, in: team, from: origin, transaction)
            return .done
        }
    }

    /// Makes an operator the owner of a team without members, such as one that a registry file created.
    ///
    /// - Returns: false when the team has members, who can invite others, or is the system team, closed or deleted.
    /// - Throws: `PostgresFailure`.
    public func adopt(_ team: TeamID, by account: Subject, from origin: Origin) async throws -> Bool {
        guard team != .system else { return false }
        return try await database.transaction(in: team) { transaction in
            // Of two concurrent operators the second waits here, and then finds the first as a member.
            let free = try await transaction.query(
                """
                SELECT FROM teams
                WHERE team_id = \(team) AND coalesce(closed_at, deleted_at) IS NULL FOR UPDATE
                """)
            let members = try await transaction.query("SELECT FROM memberships WHERE team_id = \(team) LIMIT 1")
            guard free.first != nil, members.first == nil else { return false }
            try await Self.add(account, as: .owner, to: team, by: .member(account), from: origin, transaction)
            return true
        }
    }

    /// Locks and reads the roles that decide about a change: those of the members it concerns and of the team's owners.
    private static func lock(
        _ account: Subject, _ other: Subject, in team: TeamID, _ transaction: borrowing Transaction
    ) async throws -> [Subject: Role] {
        let rows = try await transaction.query(
            """
            SELECT sub, role FROM memberships
            WHERE team_id = \(team) AND (role = \(Role.owner) OR sub IN (\(account), \(other)))
            ORDER BY sub FOR UPDATE
            """)
        var roles: [Subject: Role] = [:]
        for var row in rows { roles[try row.next()] = try row.next() }
        return roles
    }

    private static func decide(_ change: MemberChange, by account: Subject, _ roles: [Subject: Role])
        -> MemberChange.Outcome
    {
        guard let own = roles[account] else { return .notAllowed }
        guard let role = roles[change.subject ?? account] else { return .notFound }
        let isLast = role == .owner && roles.values.count { $0 == .owner } == 1
        switch change {
        case .role(_, let was, let becomes):
            guard own.mayManage(role), own.mayManage(becomes) else { return .notAllowed }
            guard role == was else { return .conflict(role) }
            return isLast && becomes != .owner ? .lastOwner : .done
        case .removal:
            guard own.mayManage(role) else { return .notAllowed }
            return isLast ? .lastOwner : .done
        case .departure: return isLast ? .lastOwner : .done
        case .transfer(let heir, _): return own == .owner && heir != account ? .done : .notAllowed
        }
    }

    private static func perform(
        _ change: MemberChange, by account: Subject, _ roles: [Subject: Role], in team: TeamID, from origin: Origin,
        _ transaction: borrowing Transaction
    ) async throws {
        let ledger = Ledger(account: account, team: team, origin: origin, roles: roles)
        switch change {
        case .role(let member, _, let becomes): try await ledger.set(member, to: becomes, [:], transaction)
        case .removal(let member, let reason):
            try await ledger.remove(member, as: "member.removed", ["reason": .string(reason)], transaction)
        case .departure: try await ledger.remove(account, as: "member.left", [:], transaction)
        case .transfer(let heir, let reason):
            try await ledger.set(heir, to: .owner, ["reason": .string(reason)], transaction)
            try await ledger.set(account, to: .admin, ["reason": .string(reason)], transaction)
        }
    }
}

extension MemberChange {
    /// The member the change concerns, or nil for the requesting member.
    fileprivate var subject: Subject? {
        switch self {
        case .role(let subject, _, _), .removal(let subject, _), .transfer(let subject, _): subject
        case .departure: nil
        }
    }
}

/// Writes changes of members together with their audit events.
private struct Ledger {
    let account: Subject
    let team: TeamID
    let origin: Origin
    let roles: [Subject: Role]

    func set(_ member: Subject, to role: Role, _ more: [String: JSONValue], _ transaction: borrowing Transaction)
        async throws
    {
        try await transaction.query("UPDATE memberships SET role = \(role) WHERE team_id = \(team) AND sub = \(member)")
        let after = more.merging(["role": .string(role.rawValue)]) { $1 }
        try await record("member.role_changed", member, after, transaction)
        try await endLostRights(of: member, left: role, transaction)
    }

    func remove(_ member: Subject, as action: String, _ more: [String: JSONValue], _ transaction: borrowing Transaction)
        async throws
    {
        try await transaction.query("DELETE FROM memberships WHERE team_id = \(team) AND sub = \(member)")
        try await record(action, member, more, transaction)
        try await endLostRights(of: member, left: nil, transaction)
    }

    private func endLostRights(of member: Subject, left role: Role?, _ transaction: borrowing Transaction) async throws
    {
        try await RevokedRightStore.end(
            of: member, left: role, in: team, by: .member(account), from: origin, transaction)
    }

    private func record(
        _ action: String, _ member: Subject, _ after: [String: JSONValue], _ transaction: borrowing Transaction
    ) async throws {
        let event = AuditEvent(
            action, by: .member(account), on: AuditEvent.Target("member", member.rawValue), from: origin,
            before: roles[member].map { ["role": .string($0.rawValue)] }, after: after.isEmpty ? nil : .object(after))
        try await event.record(in: team, transaction)
    }
}

/// A team and the role of an account in it.
public struct Membership: Sendable {
    public let team: Team
    public let role: Role
}

/// A member of a team; the name is in the system team's directory.
public struct Member: Sendable {
    public let account: Subject
    public let role: Role
    public let since: Timestamp

    init(_ row: inout Row) throws(PostgresFailure) {
        account = try row.next()
        role = try row.next()
        since = try row.next()
    }
}

/// A change of a team's members.
public enum MemberChange: Hashable, Sendable {
    /// Gives a member another role; `was` is the role that the form showed.
    case role(of: Subject, was: Role, becomes: Role)
    case removal(of: Subject, reason: String)
    /// The requesting member leaves the team.
    case departure
    /// An owner makes another member an owner and becomes an admin.
    case transfer(to: Subject, reason: String)

    /// Result of a change.
    public enum Outcome: Hashable, Sendable {
        case done
        /// The account is not a member any more.
        case notFound
        /// The member's role was changed meanwhile; the value is the current role.
        case conflict(Role)
        /// The change would leave the team without an owner.
        case lastOwner
        /// The role of the requesting account does not permit the change.
        case notAllowed
    }
}
