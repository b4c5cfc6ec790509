public import Bytes
public import Domain
public import Postgres

/// Who a person is at a provider, and what is kept of how they came.
public struct KnownProviderIdentity: Sendable {
    /// As the provider says of the person's use of the apps.
    public enum State: String, SQLText, Sendable {
        case authorized
        case revoked
        case transferred
    }

    /// What came once in a form field that nobody signed: the name vault.
    public struct Vault: Sendable {
        public let givenName: String
        public let familyName: String
        public let email: String?
        public let receivedAt: Timestamp
    }

    public let provider: ProviderID
    /// The provider's name for the person.
    public let identifier: Subject
    /// What the person is called on the way from one team of the provider's to another.
    public let transferSubject: String?
    /// Apple's `real_user_status`: 0 unsupported, 1 unknown, 2 likely real.
    public let realUserStatus: Int?
    /// Nil where nothing came.
    public let vault: Vault?
    /// The address as the provider signed it last, and whether it is its relay's.
    public let email: EmailAddress?
    public let isEmailPrivate: Bool
    /// When the person connected it to an account they had; nil for somebody who came that way.
    public let linkedAt: Timestamp?
    public let state: State
    public let stateAt: Timestamp
    public let createdAt: Timestamp
    public let lastSeenAt: Timestamp
}
