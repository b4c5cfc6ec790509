public import Bytes
public import Domain
import Postgres

/// A person of one team.
public struct User: Hashable, Sendable {
    public let subject: Subject
    public let name: PersonName
    public let email: EmailAddress?
    /// Whether the person has shown that mail to `email` reaches them.
    public let isEmailVerified: Bool
    /// Whether `email` is a relay address of the provider the person came through.
    public let isEmailPrivate: Bool
    /// The address given to apps in the place of `email`; made the first time the person hides it, kept for ever.
    public let relayAddress: EmailAddress?
    public let createdAt: Timestamp
    public let lastSignInAt: Timestamp?
    public let suspendedAt: Timestamp?
    /// How often what proves the person was changed or taken away: proofs given before count no more.
    public let credentialsVersion: Int

    /// Reads the columns of `UserStore.columns`.
    init(_ row: inout Row) throws(PostgresFailure) {
        subject = try row.next()
        name = PersonName(stored: try row.next(), try row.next())
        email = try row.next()
        isEmailVerified = try row.next()
        isEmailPrivate = try row.next()
        relayAddress = try row.next()
        createdAt = try row.next()
        lastSignInAt = try row.next()
        suspendedAt = try row.next()
        credentialsVersion = try row.next()
    }

    init(
        subject: Subject,
        name: PersonName,
        email: EmailAddress?,
        isEmailVerified: Bool,
        isEmailPrivate: Bool = false,
        relayAddress: EmailAddress? = nil,
        createdAt: Timestamp
    ) {
        self.subject = subject
        self.name = name
        self.email = email
        self.isEmailVerified = isEmailVerified
        self.isEmailPrivate = isEmailPrivate
        self.relayAddress = relayAddress
        self.createdAt = createdAt
        lastSignInAt = nil
        suspendedAt = nil
        credentialsVersion = 0
    }
}
