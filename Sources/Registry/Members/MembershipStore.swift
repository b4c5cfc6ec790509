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

    /// Adds a console account to a team; after any error but `alreadyMember` the change must be rolled back.
    ///
    /// - Throws: `Failure`, `PostgresFailure`.
    public static func add(_ account: Subject, as role: Role, _ change: borrowing Change) async throws {
        guard (role == .operator) == (change.team == .system) else { throw Failure.roleNotOfTeam }
        try await change.lockTeam()
        guard try await insert(account, as: role, change) else { throw Failure.alreadyMember }
        guard try await hasRoom(for: 0, change) else { throw Failure.teamFull }
        try await change.record("member.added", .member(account), to: ["role": .string(role.rawValue)])
    }

    /// The account's role in the team, which nobody changes until the transaction ends; nil when it is no member.
    static func heldRole(of account: Subject, _ change: borrowing Change) async throws(PostgresFailure) -> Role? {
        try await change.query(
            "SELECT role FROM memberships WHERE team_id = \(change.team) AND sub = \(account) FOR SHARE"
        ).firstValue()
    }

    /// Whether the team, which is locked, may have so many members more.
    static func hasRoom(for added: Int = 1, _ change: borrowing Change) async throws(PostgresFailure) -> Bool {
        let members: SQL = "memberships WHERE team_id = \(change.team)"
        return try await Quota.members.hasRoom(for: added, beside: members, change)
    }

    /// The roles of all members, whom nobody changes until the transaction ends.
    public static func lockAll(_ change: borrowing Change) async throws(PostgresFailure) -> [Subject: Role] {
        try await roles(
            "SELECT sub, role FROM memberships WHERE team_id = \(change.team) ORDER BY sub FOR UPDATE", change)
    }

    /// Gives a member, who is locked, another role.
    public static func set(_ member: Subject, from old: Role, to role: Role, _ change: borrowing Change) async throws {
        try await Ledger(roles: [member: old]).set(member, to: role, [:], change)
    }

    /// Removes a member, who is locked.
    public static func remove(_ member: Subject, from old: Role, reason: String, _ change: borrowing Change)
        async throws
    { try await Ledger(roles: [member: old]).remove(member, as: "member.removed", ["reason": .string(reason)], change) }

    private static func roles(_ selection: SQL, _ change: borrowing Change) async throws(PostgresFailure) -> [Subject:
        Role]
    {
        var roles: [Subject: Role] = [:]
        for var row in try await change.query(selection) { roles[try row.next()] = try row.next() }
        return roles
    }

    /// Inserts a membership; returns false when the account is already a member.
    private static func insert(_ account: Subject, as role: Role, _ change: borrowing Change) async throws -> Bool {
        do {
            let added = try await change.query(
                """
                INSERT INTO memberships (team_id, sub, role) VALUES (\(change.team), \(account), \(role))
                ON CONFLICT (team_id, sub) DO NOTHING
                """)
            return added.changed == 1
        } catch {
            if error.constraint == "memberships_sub_fkey" { throw Failure.unknownAccount }
            throw error
        }
    }

    /// Applies a change on behalf of the member `account`, all or nothing.
    ///
    /// The roles are read and locked inside the transaction, so that of two owners who remove each other at once one
    /// remains.
    /// - Throws: `PostgresFailure`.
    public func apply(_ step: MemberChange, by account: Subject, in team: TeamID, from origin: Origin) async throws
        -> MemberChange.Outcome
    {
        try await database.change(in: team, by: .member(account), from: origin) { change in
            let roles = try await Self.lock(account, step.subject ?? account, change)
            let outcome = Self.decide(step, by: account, roles)
            guard outcome == .done else { return outcome }
            try await Self.perform(step, by: account, roles, change)
            return .done
        }
    }

    /// Makes an operator the owner of a team without members, such as one that a registry file created.
    ///
    /// - Returns: false when the team has members, who can invite others, or is the system team, closed or deleted.
    /// - Throws: `PostgresFailure`.
    public func adopt(_ team: TeamID, by account: Subject, from origin: Origin) async throws -> Bool {
        guard team != .system else { return false }
        return try await database.change(in: team, by: .member(account), from: origin) { change in
            // Of two concurrent operators the second waits here, and then finds the first as a member.
            let free = try await change.query(
                """
                SELECT FROM teams
                WHERE team_id = \(team) AND coalesce(closed_at, deleted_at) IS NULL FOR UPDATE
                """)
            let members = try await change.query("SELECT FROM memberships WHERE team_id = \(team) LIMIT 1")
            guard free.first != nil, members.first == nil else { return false }
            try await Self.add(account, as: .owner, change)
            return true
        }
    }

    /// Locks and reads the roles that decide about a change: those of the members it concerns and of the team's owners.
    private static func lock(_ account: Subject, _ other: Subject, _ change: borrowing Change)
        async throws(PostgresFailure) -> [Subject: Role]
    {
        try await roles(
            """
            SELECT sub, role FROM memberships
            WHERE team_id = \(change.team) AND (role = \(Role.owner) OR sub IN (\(account), \(other)))
            ORDER BY sub FOR UPDATE
            """, change)
    }

    private static func decide(_ step: MemberChange, by account: Subject, _ roles: [Subject: Role])
        -> MemberChange.Outcome
    {
        guard let own = roles[account] else { return .notAllowed }
        guard let role = roles[step.subject ?? account] else { return .notFound }
        let isLast = role == .owner && roles.values.count { $0 == .owner } == 1
        switch step {
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
        _ step: MemberChange, by account: Subject, _ roles: [Subject: Role], _ change: borrowing Change
    ) async throws {
        let ledger = Ledger(roles: roles)
        switch step {
        case .role(let member, _, let becomes): try await ledger.set(member, to: becomes, [:], change)
        case .removal(let member, let reason):
            try await ledger.remove(member, as: "member.removed", ["reason": .string(reason)], change)
        case .departure: try await ledger.remove(account, as: "member.left", [:], change)
        case .transfer(let heir, let reason):
            try await ledger.set(heir, to: .owner, ["reason": .string(reason)], change)
            try await ledger.set(account, to: .admin, ["reason": .string(reason)], change)
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
    let roles: [Subject: Role]

    func set(_ member: Subject, to role: Role, _ more: AuditedMembers, _ change: borrowing Change) async throws {
        try await change.query(
            "UPDATE memberships SET role = \(role) WHERE team_id = \(change.team) AND sub = \(member)")
        let after = more.merging(["role": .string(role.rawValue)]) { $1 }
        try await record("member.role_changed", member, after, change)
        try await RevokedRightStore.end(of: member, left: role, change)
    }

    func remove(_ member: Subject, as action: String, _ more: AuditedMembers, _ change: borrowing Change) async throws {
        try await change.query("DELETE FROM memberships WHERE team_id = \(change.team) AND sub = \(member)")
        try await record(action, member, more, change)
        try await RevokedRightStore.end(of: member, left: nil, change)
    }

    private func record(_ action: String, _ member: Subject, _ after: AuditedMembers, _ change: borrowing Change)
        async throws
    {
        let event = change.event(
            action, on: .member(member), before: roles[member].map { ["role": .string($0.rawValue)] },
            after: after.isEmpty ? nil : .object(after))
        try await change.record(event)
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
