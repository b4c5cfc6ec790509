public import Core
public import Crypto
public import Platform
public import Postgres

/// Invites users to create an account with a team, each by a mailed link that works once.
public struct UserInvitations: Sendable {
    /// Reason why no invitation was sent.
    public enum Failure: Error, Equatable, Sendable {
        /// A user of the team signs in with that address.
        case known
        /// The team has as many open invitations as it may.
        case tooMany
        /// The inviting account is no longer a member, or may no longer invite.
        case notAllowed
    }

    private let database: TeamDatabase
    private let logins: LoginNameStore
    private let mailer: AccountMailer
    private let random: RandomSource

    public init(_ database: TeamDatabase, mailer: AccountMailer, random: RandomSource = .system) {
        self.database = database
        logins = LoginNameStore(database: database)
        self.mailer = mailer
        self.random = random
    }

    /// Mails an invitation link to an address and invalidates an earlier link to that address.
    ///
    /// - Parameter caller: its language is the language of the mail.
    /// - Throws: `Failure`, `TooManyRequests`, `PostgresFailure`.
    public func invite(_ email: EmailAddress, by account: Subject, for caller: AccountCaller) async throws {
        try await admit(LoginName(email), by: account, for: caller)
        let (team, token, id) = (caller.team, LinkToken(random: random), InvitationID(random: random))
        try await database.change(in: team, by: .member(account), from: caller.origin) { change in
            try await change.lockTeam()
            guard try await UserInvitationStore.holdRight(of: account, in: team, change.transaction) else {
                throw Failure.notAllowed
            }
            let kept = try await UserInvitationStore.keep(
                email, under: token, as: id, by: account, at: caller.now, change)
            guard let kept else { throw Failure.tooMany }
            try await change.record("user_invitation.sent", .userInvitation(kept.id))
            let mail = AccountMail.invitation(token, until: kept.expiresAt)
            try await mailer.send(mail, kept.email, caller.language, team, change.transaction)
        }
    }

    /// Rejects addresses that already have an account, and requests beyond the limits.
    private func admit(_ login: LoginName, by account: Subject, for caller: AccountCaller) async throws {
        guard try await !logins.isTaken(login, in: caller.team) else { throw Failure.known }
        let recipient = LimitKey.recipient(login.rawValue, for: .sender, by: .team)
        try await database.count(
            RateLimit.Use.mail(to: recipient, by: .account(account)), in: caller.team, at: caller.now)
    }

    /// Open invitations, newest first.
    public func list(in team: TeamID, at now: Timestamp) async throws(PostgresFailure) -> [UserInvitation] {
        let rows = try await database.query(
            """
            SELECT \(UserInvitation.columns) FROM mailed_links WHERE \(UserInvitationStore.open(in: team, at: now))
            ORDER BY expires_at DESC, invitation_id
            """, in: team)
        return try rows.all(UserInvitation.init)
    }

    /// Open invitation with that ID, or nil.
    public func find(_ id: InvitationID, in team: TeamID, at now: Timestamp) async throws(PostgresFailure)
        -> UserInvitation?
    {
        let rows = try await database.query(
            """
            SELECT \(UserInvitation.columns) FROM mailed_links
            WHERE \(UserInvitationStore.open(in: team, at: now)) AND invitation_id = \(id)
            """, in: team)
        return try rows.firstValue(UserInvitation.init)
    }

    /// Withdraws an invitation and invalidates its link.
    ///
    /// - Returns: false if there is none, or it has been accepted meanwhile.
    /// - Throws: `PostgresFailure`.
    public func withdraw(_ id: InvitationID, by account: Subject, in team: TeamID, from origin: Origin) async throws
        -> Bool
    {
        try await database.change(in: team, by: .member(account), from: origin) { change in
            let removed = try await change.query(
                "DELETE FROM mailed_links WHERE team_id = \(team) AND invitation_id = \(id)")
            guard removed.changed > 0 else { return false }
            try await change.record("user_invitation.withdrawn", .userInvitation(id))
            return true
        }
    }
}

extension AuditEvent.Target {
    static func userInvitation(_ id: InvitationID) -> AuditEvent.Target {
        AuditEvent.Target("user_invitation", id.rawValue)
    }
}
