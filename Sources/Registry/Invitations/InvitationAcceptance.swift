public import Core
public import Crypto
public import Platform
public import Postgres

/// Finds and accepts an invitation by the token of its link, before the team is known.
///
/// The system role finds the team and the invitation of the token; everything else is read and done under the team's
/// setting.
public struct InvitationAcceptance: Sendable {
    /// Result of accepting an invitation.
    public enum Outcome: Hashable, Sendable {
        case joined(TeamID)
        /// The account is already a member of the team; the invitation is used up, the role does not change.
        case memberAlready(TeamID)
        /// The link is unknown, used, withdrawn or expired, or its sender may no longer invite to that role.
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

    /// Returns the invitation and the team of a link, or nil when the link is not valid (any more).
    public func find(_ token: LinkToken, at now: Timestamp) async throws(PostgresFailure) -> OpenInvitation? {
        guard let (team, id) = try await system.find(token, at: now),
            let invitation = try await invitations.find(id, in: team), invitation.isOpen(at: now),
            try await mayInvite(invitation, in: team), let team = try await teams.find(team)
        else { return nil }
        return OpenInvitation(invitation: invitation, team: team)
    }

    private func mayInvite(_ invitation: Invitation, in team: TeamID) async throws(PostgresFailure) -> Bool {
        if invitation.invitedBy == Invitation.installation { return true }
        return try await members.find(invitation.invitedBy, in: team)?.role.mayManage(invitation.role) ?? false
    }

    /// Makes `account` a member; the link works once.
    ///
    /// - Throws: `MembershipStore.Failure.teamFull`, which leaves the invitation unchanged; `PostgresFailure`.
    public func accept(_ token: LinkToken, as account: Subject, from origin: Origin, at now: Timestamp) async throws
        -> Outcome
    {
        guard let (team, _) = try await system.find(token, at: now) else { return .gone }
        return try await database.change(in: team, by: .member(account), from: origin, locking: .team(team)) { change in
            try await Self.accept(token, as: account, at: now, change)
        }
    }

    /// Creates an account in the system team by `makeAccount` and makes it a member, in one transaction.
    ///
    /// - Parameter makeAccount: adds a console account with the invited address, which the link has verified.
    /// - Throws: any error of `makeAccount`; `MembershipStore.Failure.teamFull`, which leaves the invitation unchanged
    ///   and creates no account; `PostgresFailure`.
    public func accept(
        _ token: LinkToken, from origin: Origin, at now: Timestamp,
        makeAccount: (EmailAddress, borrowing Change) async throws -> Subject
    ) async throws -> (account: Subject, team: TeamID)? {
        guard let (team, id) = try await system.find(token, at: now),
            let invitation = try await invitations.find(id, in: team)
        else { return nil }
        do {
            // Begun in the team, so that a wait for the team's row counts against it and not against the system team.
            let actor = Actor.system("invitation")
            let account = try await database.change(in: team, by: actor, from: origin, locking: .team(team)) { change in
                try await change.lockTeam()
                let account = try await change.acting(in: .system, by: actor) { change in
                    try await makeAccount(invitation.email, change)
                }
                let outcome = try await change.acting(by: .member(account)) { change in
                    try await Self.accept(token, as: account, at: now, change)
                }
                guard outcome == .joined(team) else { throw Gone() }
                return account
            }
            return (account, team)
        } catch is Gone { return nil }
    }

    /// Error: the link was used meanwhile, so the new account must be rolled back.
    private struct Gone: Error {}

    private static func accept(_ token: LinkToken, as account: Subject, at now: Timestamp, _ change: borrowing Change)
        async throws -> Outcome
    {
        // Locked before the invitation, in the order of `InvitationStore.invite`.
        try await change.lockTeam()
        guard let invitation = try await InvitationStore.accept(token, at: now, change) else { return .gone }
        try await InvitationStore.record("invitation.accepted", invitation, change)
        let role = invitation.role
        do { try await MembershipStore.add(account, as: role, change) } catch MembershipStore.Failure.alreadyMember {
            return .memberAlready(change.team)
        }
        return .joined(change.team)
    }
}

/// An invitation to a team that has not been accepted.
public struct Invitation: Sendable {
    /// How long its link is valid.
    public static let life = Duration.seconds(7 * 86_400)
    /// Stands for an account where an operator invites by a registry file: of a form that no account's `sub` has.
    public static let installation = Subject(reserved: "installation")

    public let id: InvitationID
    public let email: EmailAddress
    public let role: Role
    /// The console account that sent the invitation, or `installation`.
    public let invitedBy: Subject
    public let createdAt: Timestamp
    public let expiresAt: Timestamp

    static let columns: SQL = "invitation_id, email, role, invited_by, created_at, expires_at"

    init(_ row: inout Row) throws(PostgresFailure) {
        id = try row.next()
        email = try row.next()
        role = try row.next()
        invitedBy = try row.next()
        createdAt = try row.next()
        expiresAt = try row.next()
    }

    /// Whether its link is still valid.
    public func isOpen(at moment: Timestamp) -> Bool { moment < expiresAt }
}

/// An invitation with its team, shown to the holder of the link before they decide.
public struct OpenInvitation: Sendable {
    public let invitation: Invitation
    public let team: Team
}
