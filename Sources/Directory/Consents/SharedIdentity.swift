public import Domain

/// What an app learns of a person, beside `sub`.
///
/// Pure: who the person is, what they let the app know, and what it asked for this time.
public struct SharedIdentity: Hashable, Sendable {
    /// An address to claim in the id_token.
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

    /// `email` of every id_token, whatever is asked this time: Apple repeats it once it was granted.
    public let email: Email?
    /// `email` of the `user` object, which answers what was asked.
    public let userEmail: Email?
    /// `name` of the `user` object; an id_token never holds a name.
    public let userName: PersonName?

    public init(of user: User, under consent: Consent, asking scopes: Scopes) {
        email = Self.email(of: user, consent)
        userEmail = scopes.contains(.email) ? email : nil
        userName = scopes.contains(.name) ? consent.name : nil
    }

    /// A relay address is as good as the address behind it: mail to it ends there.
    ///
    /// What was decided on a provider's sheet is about the address that the provider gave.
    private static func email(of user: User, _ consent: Consent) -> Email? {
        if consent.provider != nil { return consent.email == .withheld ? nil : consent.providerEmail }
        guard let own = user.email else { return nil }
        switch consent.email {
        case .withheld: return nil
        case .shared:
            return Email(address: own, isVerified: user.isEmailVerified, isPrivate: user.isEmailPrivate)
        case .hidden:
            return user.relayAddress.map {
                Email(address: $0, isVerified: user.isEmailVerified, isPrivate: true)
            }
        }
    }
}
