public import Core
public import OAuth
public import Platform
import Registry

/// Identity of a user at a provider, as the provider signed it.
public struct UpstreamIdentity: Sendable {
    /// The provider's identifier of the user, the same in all apps of the team.
    public let identifier: Subject
    public private(set) var email: SharedIdentity.Email?
    /// Identifier of the user during a transfer from one of the provider's teams to another.
    public private(set) var transferSubject: String?
    /// Apple's `real_user_status`: 0 unsupported, 1 unknown, 2 likely real; at the first native sign-in only.
    public private(set) var realUserStatus: Int?
    /// `real_user_status` as a backend reports it, unsigned: used only if no other value is known.
    public private(set) var observedStatus: Int?
    /// Time at which the user authenticated.
    public let authenticatedAt: Timestamp
    /// Nonce of the token.
    public let nonce: String?

    public init(
        identifier: Subject, email: SharedIdentity.Email?, transferSubject: String?, realUserStatus: Int?,
        authenticatedAt: Timestamp, nonce: String? = nil
    ) {
        self.identifier = identifier
        self.email = email
        self.transferSubject = transferSubject
        self.realUserStatus = realUserStatus
        self.authenticatedAt = authenticatedAt
        self.nonce = nonce
    }

    /// Copy with the `real_user_status` that a backend reports.
    public func observed(_ status: Int?) -> UpstreamIdentity {
        var identity = self
        identity.observedStatus = status
        return identity
    }

    /// Copy without the identifier of a transfer, once that is over.
    func during(_ transfer: AppleTransferDay?, at now: Timestamp) -> UpstreamIdentity {
        var identity = self
        if transfer?.isOpen(at: now) == false { identity.transferSubject = nil }
        return identity
    }

    /// Copy completed with claims that only another token of the same user contains.
    public func completed(by other: UpstreamIdentity?) -> UpstreamIdentity {
        var identity = self
        identity.email = email ?? other?.email
        identity.transferSubject = transferSubject ?? other?.transferSubject
        identity.realUserStatus = realUserStatus ?? other?.realUserStatus
        return identity
    }
}
