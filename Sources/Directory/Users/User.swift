public import Core
public import Platform
public import Postgres

/// User of one team.
public struct User: Hashable, Sendable {
    public let subject: Subject
    public let name: PersonName
    public let email: EmailAddress?
    /// Whether the user has confirmed that mail to `email` arrives.
    public let isEmailVerified: Bool
    /// Whether `email` is a relay address of the provider through which the user signed up.
    public let isEmailPrivate: Bool
    /// Address given to apps in place of `email`; created when the user first hides it, and permanent.
    public let relayAddress: EmailAddress?
    public let createdAt: Timestamp
    public let lastSignInAt: Timestamp?
    public let suspendedAt: Timestamp?
    /// Number of changes and removals of the user's credentials; proofs from an earlier version are invalid.
    public let credentialsVersion: Int
}

extension User {
    /// Reads the columns of `UserStore.columns`.
    public init(_ row: inout Row) throws(PostgresFailure) {
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
}
