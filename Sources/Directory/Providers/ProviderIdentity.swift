public import Bytes
public import Domain

/// Who somebody is at a provider, as it has signed.
public struct ProviderIdentity: Sendable {
    /// The provider's name for the person: stable in all of the team's apps.
    public let identifier: Subject
    public private(set) var email: SharedIdentity.Email?
    /// What the person is called on the way from one team of the provider's to another.
    public private(set) var transferSubject: String?
    /// Apple's `real_user_status`: 0 unsupported, 1 unknown, 2 likely real; at the first native sign-in only.
    public private(set) var realUserStatus: Int?
    /// The same as an app says it, signed by nobody: it counts where nothing else is known.
    public private(set) var observedStatus: Int?
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

    /// The same with what the app saw of the status.
    public func observed(_ status: Int?) -> ProviderIdentity {
        var identity = self
        identity.observedStatus = status
        return identity
    }

    /// The same with what another token of the same person says alone.
    public func completed(by other: ProviderIdentity?) -> ProviderIdentity {
        var identity = self
        identity.email = email ?? other?.email
        identity.transferSubject = transferSubject ?? other?.transferSubject
        identity.realUserStatus = realUserStatus ?? other?.realUserStatus
        return identity
    }
}
