public import Core
public import Platform
public import Postgres

extension LinkedIdentity {
    init(_ row: inout Row) throws(PostgresFailure) {
        provider = try row.next()
        identifier = try row.next()
        transferSubject = try row.next()
        realUserStatus = try row.next()
        let (givenName, familyName): (String, String) = (try row.next(), try row.next())
        let (email, receivedAt): (String?, Timestamp?) = (try row.next(), try row.next())
        vault = receivedAt.map { Vault(givenName: givenName, familyName: familyName, email: email, receivedAt: $0) }
        self.email = try row.next()
        isEmailPrivate = try row.next()
        linkedAt = try row.next()
        state = try row.next()
        stateAt = try row.next()
        createdAt = try row.next()
        lastSeenAt = try row.next()
    }
}

/// Identity of a user at a provider, with the data received at sign-in.
public struct LinkedIdentity: Sendable {
    /// Authorization of the apps by the user, as the provider reports it.
    public enum State: String, SQLText, CaseIterable, Sendable {
        case authorized
        case revoked
        case transferred
    }

    /// Data received once in an unsigned form field: the name vault.
    public struct Vault: Sendable {
        public let givenName: String
        public let familyName: String
        public let email: String?
        public let receivedAt: Timestamp
    }

    public let provider: ProviderID
    /// The provider's identifier of the user.
    public let identifier: Subject
    /// Identifier of the user during a transfer from one of the provider's teams to another.
    public let transferSubject: String?
    /// Apple's `real_user_status`: 0 unsupported, 1 unknown, 2 likely real.
    public let realUserStatus: Int?
    /// Nil if none was received.
    public let vault: Vault?
    /// Address that the provider signed last, and whether it is one of the provider's relay addresses.
    public let email: EmailAddress?
    public let isEmailPrivate: Bool
    /// Time at which the user linked it to an existing account; nil for a user who signed up with it.
    public let linkedAt: Timestamp?
    public let state: State
    public let stateAt: Timestamp
    public let createdAt: Timestamp
    public let lastSeenAt: Timestamp
}
