public import Core
public import Directory
public import Platform
public import Postgres

/// Data that a user shares with a group of apps: requested once, kept until the user ends it.
public struct Consent: Hashable, Sendable {
    /// Decision about the email address.
    public enum EmailChoice: Hashable, Sendable {
        /// The app did not request it.
        case withheld
        /// *Share my e-mail*.
        case shared
        /// *Hide my e-mail*: the app gets a relay address instead.
        case hidden
    }

    /// The primary App ID of the group.
    public let appID: ClientID
    /// Name as the user edited it; nil if the app did not request it.
    public let name: PersonName?
    public let email: EmailChoice
    public let grantedAt: Timestamp
    /// Time at which an app of the group received `user`; until then it is delivered again.
    public let deliveredAt: Timestamp?
    /// Whether mail to the relay address is forwarded to the user.
    public let forwardsMail: Bool
    /// Provider on whose consent sheet a user with a linked account decided; nil for Pippin's own sheet.
    public let provider: ProviderID?
    /// Address that the provider gave the apps, in place of the user's own.
    public let providerEmail: SharedIdentity.Email?

    init(
        appID: ClientID, name: PersonName?, email: EmailChoice, grantedAt: Timestamp, deliveredAt: Timestamp? = nil,
        forwardsMail: Bool = true, provider: ProviderID? = nil, providerEmail: SharedIdentity.Email? = nil
    ) {
        self.appID = appID
        self.name = name
        self.email = email
        self.grantedAt = grantedAt
        self.deliveredAt = deliveredAt
        self.forwardsMail = forwardsMail
        self.provider = provider
        self.providerEmail = providerEmail
    }

    /// Reads the columns of `ConsentStore.columns`.
    public init(_ row: inout Row) throws(PostgresFailure) {
        appID = try row.next()
        let (sharesName, sharesEmail, hidesEmail): (Bool, Bool, Bool) = (try row.next(), try row.next(), try row.next())
        let stored = PersonName(stored: try row.next(), try row.next())
        name = sharesName ? stored : nil
        email = sharesEmail ? (hidesEmail ? .hidden : .shared) : .withheld
        grantedAt = try row.next()
        deliveredAt = try row.next()
        forwardsMail = try row.next()
        provider = try row.next()
        let address: EmailAddress? = try row.next()
        let (isVerified, isPrivate): (Bool, Bool) = (try row.next(), try row.next())
        providerEmail = address.map { SharedIdentity.Email(address: $0, isVerified: isVerified, isPrivate: isPrivate) }
    }
}

/// Consent in the list of a user's apps.
public struct GrantedApp: Sendable {
    public let consent: Consent
    /// Description of the App ID, by which users know the app.
    public let name: String
}
