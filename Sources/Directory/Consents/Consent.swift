public import Bytes
public import Domain
import Postgres

/// What a person lets a group of apps know: asked once, kept until the person ends it.
public struct Consent: Hashable, Sendable {
    /// What became of the question for the e-mail address.
    public enum EmailChoice: Hashable, Sendable {
        /// The app did not ask.
        case withheld
        /// *Share my e-mail*.
        case shared
        /// *Hide my e-mail*: the relay address in its place.
        case hidden
    }

    /// The primary App ID of the group.
    public let appID: ClientID
    /// The name as the person edited it, or nil when the app did not ask.
    public let name: PersonName?
    public let email: EmailChoice
    public let grantedAt: Timestamp
    /// When an app of the group received `user`; until then it is delivered again.
    public let deliveredAt: Timestamp?
    /// Whether mail to the relay address is passed on to the person.
    public let forwardsMail: Bool
    /// On whose sheet a person decided who has connected an account there; nil for the sheet here.
    public let provider: ProviderID?
    /// The address that the provider gave the apps, in the place of the person's own.
    public let providerEmail: SharedIdentity.Email?

    init(
        appID: ClientID,
        name: PersonName?,
        email: EmailChoice,
        grantedAt: Timestamp,
        deliveredAt: Timestamp? = nil,
        forwardsMail: Bool = true,
        provider: ProviderID? = nil,
        providerEmail: SharedIdentity.Email? = nil
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
    init(_ row: inout Row) throws(PostgresFailure) {
        appID = try row.next()
        let (sharesName, sharesEmail, hidesEmail): (Bool, Bool, Bool) = (
            try row.next(), try row.next(), try row.next()
        )
        let stored = PersonName(stored: try row.next(), try row.next())
        name = sharesName ? stored : nil
        email = sharesEmail ? (hidesEmail ? .hidden : .shared) : .withheld
        grantedAt = try row.next()
        deliveredAt = try row.next()
        forwardsMail = try row.next()
        provider = try row.next()
        let address: EmailAddress? = try row.next()
        let (isVerified, isPrivate): (Bool, Bool) = (try row.next(), try row.next())
        providerEmail = address.map {
            SharedIdentity.Email(address: $0, isVerified: isVerified, isPrivate: isPrivate)
        }
    }
}

/// A consent in the list of a person's apps.
public struct GrantedApp: Sendable {
    public let consent: Consent
    /// The App ID's description: what people know the app by.
    public let name: String
}
