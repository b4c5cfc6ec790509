public import Directory
public import Platform

/// Data that an app receives about a user, besides `sub`.
///
/// Computed only from the user, the consent, and the scopes of this request.
public struct SharedIdentity: Hashable, Sendable {
    /// Email address to claim in the id_token.
    public struct Email: Hashable, Sendable {
        public let address: EmailAddress
        /// `email_verified`.
        public let isVerified: Bool
        /// `is_private_email`: a relay address.
        public let isPrivate: Bool

        public init(address: EmailAddress, isVerified: Bool, isPrivate: Bool) {
            self.address = address
            self.isVerified = isVerified
            self.isPrivate = isPrivate
        }
    }

    /// `email` of every id_token, whatever this request asks for: Apple repeats it once it was granted.
    public let email: Email?
    /// `email` of the `user` object, which contains only what this request asks for.
    public let userEmail: Email?
    /// `name` of the `user` object; an id_token never contains a name.
    public let userName: PersonName?

    public init(of user: User, under consent: Consent, asking scope: AuthorizationRequest.Scope) {
        email = Self.email(of: user, consent)
        userEmail = scope.email ? email : nil
        userName = scope.name ? consent.name : nil
    }

    /// Address the app receives; a relay address is as verified as the address behind it, which gets its mail.
    ///
    /// A decision on a provider's consent sheet is about the address that the provider gave.
    private static func email(of user: User, _ consent: Consent) -> Email? {
        if consent.provider != nil { return consent.email == .withheld ? nil : consent.upstreamEmail }
        guard let own = user.email else { return nil }
        switch consent.email {
        case .withheld: return nil
        case .shared: return Email(address: own, isVerified: user.isEmailVerified, isPrivate: user.isEmailPrivate)
        case .hidden:
            return user.relayAddress.map { Email(address: $0, isVerified: user.isEmailVerified, isPrivate: true) }
        }
    }
}

/// The email address shared with an app, as in `id_token`.
public struct SharedEmail: Equatable, Sendable {
    public let address: String
    public let isVerified: Bool
    public let isPrivate: Bool

    public init(address: String, isVerified: Bool, isPrivate: Bool) {
        self.address = address
        self.isVerified = isVerified
        self.isPrivate = isPrivate
    }
}

extension SharedEmail {
    public init(_ email: SharedIdentity.Email) {
        self.init(address: email.address.rawValue, isVerified: email.isVerified, isPrivate: email.isPrivate)
    }
}
