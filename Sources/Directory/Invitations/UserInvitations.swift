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
        try await database.transaction(in: team) { transaction in
            try await transaction.lock(team)
            guard try await UserInvitationStore.holdRight(of: account, in: team, transaction) else {
                throw Failure.notAllowed
            }
            let kept = try await UserInvitationStore.keep(
                email, under: token, as: id, by: account, in: team, at: caller.now, transaction)
            guard let kept else { throw Failure.tooMany }
            try await AuditEvent(
                "user_invitation.sent", by: .member(account), on: .userInvitation(kept.id), from: caller.origin
            ).record(in: team, transaction)
            let mail = AccountMail.invitation(token, until: kept.expiresAt)
            try await mailer.send(mail, kept.email, caller.language, team, transaction)
        }
    }

    /// Rejects addresses that already have an account, and requests beyond the limits.
    private func admit(_ login: LoginName, by account: Subject, for caller: AccountCaller) async throws {
        guard try await !logins.isTaken(login, in: caller.team) else { throw Failure.known }
        let recipient = LimitKey.recipient(login.rawValue, for: .sender)
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
        try await database.transaction(in: team) { transaction in
            let removed = try await transaction.query(
                "DELETE FROM mailed_links WHERE team_id = \(team) AND invitation_id = \(id)")
            guard removed.changed > 0 else { return false }
            try await AuditEvent(
                "user_invitation.withdrawn", by: .member(account), on: .userInvitation(id), from: origin
            ).record(in: team, transaction)
            return true
        }
    }
}

extension AuditEvent.Target {
    static func userInvitation(_ id: InvitationID) -> AuditEvent.Target {
        AuditEvent.Target("user_invitation", id.rawValue)
    }
}

/// Creates accounts from invitation links; following the link confirms the address.
public struct InvitedRegistrations: Sendable {
    /// Result of a registration by invitation.
    public enum Outcome: Sendable {
        case made
        /// The link was used or withdrawn, has expired or never existed.
        case expired
        /// The address has since become the login name of an account.
        case known
        case busy
    }

    private let database: TeamDatabase
    private let links: MailedLinkStore
    private let users: UserStore
    private let hasher: PasswordHasher

    public init(_ database: TeamDatabase, hasher: PasswordHasher, random: RandomSource = .system) {
        self.database = database
        links = MailedLinkStore(database: database)
        users = UserStore(database, random: random)
        self.hasher = hasher
    }

    /// Invited address, while the link is valid.
    ///
    /// - Throws: `PostgresFailure`.
    public func address(_ token: LinkToken, for caller: AccountCaller) async throws -> EmailAddress? {
        let stands: Bool = try await database.transaction(in: caller.team) { transaction in
            try await isBacked(token, for: caller, transaction)
        }
        guard stands else { return nil }
        return try await links.find(token, for: .invitation, in: caller.team, at: caller.now)?.email
    }

    /// Whether the inviting member still has the right to invite, without which the invitation is invalid.
    private func isBacked(_ token: LinkToken, for caller: AccountCaller, _ transaction: borrowing Transaction)
        async throws(PostgresFailure) -> Bool
    {
        let inviter = try await UserInvitationStore.inviter(of: token, in: caller.team, at: caller.now, transaction)
        guard let inviter else { return false }
        return try await UserInvitationStore.holdRight(of: inviter, in: caller.team, transaction)
    }

    /// Creates the account and uses up the link.
    ///
    /// - Throws: `PostgresFailure`.
    public func register(_ token: LinkToken, as name: PersonName, password: NewPassword, for caller: AccountCaller)
        async throws -> Outcome
    {
        let hash: PasswordHash
        do throws(PasswordHasher.Busy) { hash = try await hasher.hash(password, for: caller.team) } catch {
            return .busy
        }
        do {
            return try await database.transaction(in: caller.team) { transaction in
                try await make(token, name, hash, for: caller, transaction)
            }
        } catch UserStore.Failure.loginTaken { return .known }
    }

    private func make(
        _ token: LinkToken, _ name: PersonName, _ password: PasswordHash, for caller: AccountCaller,
        _ transaction: borrowing Transaction
    ) async throws -> Outcome {
        let team = caller.team
        // The membership is locked before the link, as when a member loses the right and the invitations end with it.
        guard try await isBacked(token, for: caller, transaction) else { return .expired }
        let link = try await links.take(token, for: .invitation, in: team, at: caller.now, transaction)
        guard let link, let invitation = link.invitation else { return .expired }
        let subject = try await users.create(
            NewUser(name: name, email: link.email, isEmailVerified: true, password: password), in: team,
            by: .system("invitation"), from: caller.origin, transaction)
        try await AuditEvent(
            "user_invitation.accepted", by: .user(subject, of: team), on: .userInvitation(invitation),
            from: caller.origin
        ).record(in: team, transaction)
        return .made
    }
}
