import Audit
public import Bytes
public import Crypto
public import Domain
public import Postgres

/// The way in for the holder of an invitation's link, who knows no team yet.
///
/// The system's role finds the team and the invitation behind the token; everything else is read and done in the
/// team.
public struct InvitationDoor: Sendable {
    /// What came of accepting.
    public enum Outcome: Hashable, Sendable {
        case joined(TeamID)
        /// The account belongs to the team already; the invitation is used up, the role stays.
        case memberAlready(TeamID)
        /// The link is unknown, used, withdrawn or over, or the one who sent it may no longer invite to that role.
        case gone
    }

    private let database: TeamDatabase
    private let system: InvitationTokenStore
    private let invitations: InvitationStore
    private let members: MembershipStore
    private let teams: TeamStore

    public init(_ database: TeamDatabase, _ system: SystemDatabase) {
        self.database = database
        self.system = InvitationTokenStore(system)
        invitations = InvitationStore(database)
        members = MembershipStore(database)
        teams = TeamStore(database)
    }

    /// What the link invites to, or nil when it does not work (any more).
    public func find(_ token: LinkToken, at now: Timestamp) async throws(PostgresFailure) -> OpenInvitation? {
        guard let (team, id) = try await system.find(token, at: now),
            let invitation = try await invitations.find(id, in: team), invitation.isOpen(at: now),
            let inviter = try await members.find(invitation.invitedBy, in: team),
            inviter.role.mayManage(invitation.role),
            let team = try await teams.find(team)
        else { return nil }
        return OpenInvitation(invitation: invitation, team: team)
    }

    /// Makes `account` a member; the link works once.
    ///
    /// - Throws: `MembershipStore.Failure.teamFull`, which leaves the invitation as it was; `PostgresFailure`.
    public func accept(
        _ token: LinkToken,
        as account: Subject,
        from origin: Origin,
        at now: Timestamp
    ) async throws -> Outcome {
        guard let (team, _) = try await system.find(token, at: now) else { return .gone }
        return try await database.transaction(in: team, locking: .team(team)) { transaction in
            try await Self.accept(token, as: account, in: team, from: origin, at: now, transaction)
        }
    }

    /// Makes the account that `makeAccount` adds to the system team a member, all in one transaction.
    ///
    /// - Parameter makeAccount: adds a console account with the invited address, which the link has proved.
    /// - Throws: whatever `makeAccount` throws; `MembershipStore.Failure.teamFull`, which leaves the invitation as it
    ///   was and no account; `PostgresFailure`.
    public func accept(
        _ token: LinkToken,
        from origin: Origin,
        at now: Timestamp,
        makeAccount: (EmailAddress, borrowing Transaction) async throws -> Subject
    ) async throws -> (account: Subject, team: TeamID)? {
        guard let (team, id) = try await system.find(token, at: now),
            let invitation = try await invitations.find(id, in: team)
        else { return nil }
        do {
            // It counts for the team, whose row others may hold, and not for the system team.
            let account = try await database.transaction(in: team, locking: .team(team)) { transaction in
                try await MembershipStore.hold(team, transaction)
                try await Self.enter(.system, transaction)
                let account = try await makeAccount(invitation.email, transaction)
                try await Self.enter(team, transaction)
                let outcome = try await Self.accept(
                    token,
                    as: account,
                    in: team,
                    from: origin,
                    at: now,
                    transaction
                )
                guard outcome == .joined(team) else { throw Gone() }
                return account
            }
            return (account, team)
        } catch is Gone {
            return nil
        }
    }

    /// The link was used meanwhile; nothing of the new account may stay.
    private struct Gone: Error {}

    /// What follows in the transaction is done in that team.
    private static func enter(
        _ team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) {
        try await transaction.query("SELECT set_config('pippin.team', \(team), true)")
    }

    private static func accept(
        _ token: LinkToken,
        as account: Subject,
        in team: TeamID,
        from origin: Origin,
        at now: Timestamp,
        _ transaction: borrowing Transaction
    ) async throws -> Outcome {
        // Before the invitation, as those do who send it again.
        try await MembershipStore.hold(team, transaction)
        guard let invitation = try await InvitationStore.accept(token, in: team, at: now, transaction)
        else { return .gone }
        try await InvitationStore.event("invitation.accepted", invitation, by: account, from: origin)
            .record(in: team, transaction)
        do {
            try await MembershipStore.add(
                account,
                as: invitation.role,
                to: team,
                by: .member(account),
                from: origin,
                transaction
            )
        } catch MembershipStore.Failure.alreadyMember {
            return .memberAlready(team)
        }
        return .joined(team)
    }
}
