public import Crypto
public import Platform
import Postgres

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
        do throws(PasswordHasher.Busy) {
            hash = try await hasher.hash(password, for: caller.team, from: caller.origin)
        } catch { return .busy }
        do {
            let (team, actor) = (caller.team, Actor.system("invitation"))
            return try await database.change(in: team, by: actor, from: caller.origin) { change in
                try await make(token, name, hash, for: caller, change)
            }
        } catch UserStore.Failure.loginTaken { return .known }
    }

    private func make(
        _ token: LinkToken, _ name: PersonName, _ password: PasswordHash, for caller: AccountCaller,
        _ change: borrowing Change
    ) async throws -> Outcome {
        let team = change.team
        // The membership is locked before the link, as when a member loses the right and the invitations end with it.
        guard try await isBacked(token, for: caller, change.transaction) else { return .expired }
        let link = try await links.take(token, for: .invitation, in: team, at: caller.now, change.transaction)
        guard let link, let invitation = link.invitation else { return .expired }
        let subject = try await users.create(
            NewUser(name: name, email: link.email, isEmailVerified: true, password: password), change)
        try await change.acting(by: .user(subject, of: team)) { change in
            try await change.record("user_invitation.accepted", .userInvitation(invitation))
        }
        return .made
    }
}
