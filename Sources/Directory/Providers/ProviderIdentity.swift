public import Bytes
public import Domain

/// Who somebody is at a provider, as it has signed.
public struct ProviderIdentity: Sendable {
    /// The provider's name for the person: stable in all of the team's apps.
    public let identifier: Subject
    public let email: SharedIdentity.Email?
    /// What the person is called on the way from one team of the provider's to another.
    public let transferSubject: String?
    /// Apple's `real_user_status`: 0 unsupported, 1 unknown, 2 likely real; at the first native sign-in only.
    public let realUserStatus: Int?
    /// When the person proved who they are.
    public let authenticatedAt: Timestamp

    public init(
        identifier: Subject,
        email: SharedIdentity.Email?,
        transferSubject: String?,
        realUserStatus: Int?,
        authenticatedAt: Timestamp
    ) {
        self.identifier = identifier
        self.email = email
        self.transferSubject = transferSubject
        self.realUserStatus = realUserStatus
        self.authenticatedAt = authenticatedAt
    }

    /// The same with what the app saw of the status, where the token does not say it.
    public func observed(_ status: Int?) -> ProviderIdentity {
        ProviderIdentity(
            identifier: identifier,
            email: email,
            transferSubject: transferSubject,
            realUserStatus: realUserStatus ?? status,
            authenticatedAt: authenticatedAt
        )
    }
}
