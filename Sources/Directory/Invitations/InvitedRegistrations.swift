import Audit
import Bytes
public import Crypto
public import Domain
public import Postgres

/// Makes accounts for people who follow the link of an invitation; that mail reached them is shown by that.
public struct InvitedRegistrations: Sendable {
    /// What came of it.
    public enum Outcome: Sendable {
        case made
        /// The link was used, withdrawn, is too old, or never was.
        case over
        /// The address has become an account's meanwhile.
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

    /// The address that was invited, while the link works.
    public func address(
        _ token: LinkToken,
        for caller: AccountCaller
    ) async throws(PostgresFailure) -> EmailAddress? {
        try await links.find(token, for: .invitation, in: caller.team, at: caller.now)?.email
    }

    /// Makes the account; the link is used up with it.
    ///
    /// - Throws: `PostgresFailure`.
    public func register(
        _ token: LinkToken,
        as name: PersonName,
        password: NewPassword,
        for caller: AccountCaller
    ) async throws -> Outcome {
        let hash: PasswordHash
        do throws(PasswordHasher.Busy) {
            hash = try await hasher.hash(password)
        } catch {
            return .busy
        }
        do {
            return try await database.transaction(in: caller.team) { transaction in
                try await make(token, name, hash, for: caller, transaction)
            }
        } catch UserStore.Failure.loginTaken {
            return .known
        }
    }

    private func make(
        _ token: LinkToken,
        _ name: PersonName,
        _ password: PasswordHash,
        for caller: AccountCaller,
        _ transaction: borrowing Transaction
    ) async throws -> Outcome {
        let team = caller.team
        let link = try await links.take(token, for: .invitation, in: team, at: caller.now, transaction)
        guard let link, let invitation = link.invitation else { return .over }
        let subject = try await users.create(
            NewUser(name: name, email: link.email, isEmailVerified: true, password: password),
            in: team,
            by: .system("invitation"),
            from: caller.origin,
            transaction
        )
        try await AuditEvent(
            "user_invitation.accepted",
            by: .user(subject, of: team),
            on: .userInvitation(invitation),
            from: caller.origin
        )
        .record(in: team, transaction)
        return .made
    }
}
