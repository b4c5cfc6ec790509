import Crypto
public import Platform
public import Postgres

/// Mailed link that has not been used.
public struct MailedLink: Sendable {
    public let purpose: MailedLinkPurpose
    /// Nil until the account is created.
    public let subject: Subject?
    /// Recipient address.
    public let email: EmailAddress
    /// ID of the interaction that continues if the link is followed in the browser where it began.
    public let interaction: String?
    /// Hash of the requesting browser; nil if the purpose does not need it.
    let browserHash: [UInt8]?
    /// The app's authorization request as a query, by which the sign-in begins anew once the interaction is over; nil
    /// for other purposes than registration, and if no app asked.
    let requestQuery: String?
    let name: PersonName
    let password: PasswordHash?
    /// ID of the invitation; nil for other purposes.
    let invitation: InvitationID?

    init(
        _ purpose: MailedLinkPurpose, subject: Subject? = nil, email: EmailAddress, interaction: String? = nil,
        browserHash: [UInt8]? = nil, requestQuery: String? = nil, name: PersonName = .none,
        password: PasswordHash? = nil
    ) {
        self.purpose = purpose
        self.subject = subject
        self.email = email
        self.interaction = interaction
        self.browserHash = browserHash
        self.requestQuery = requestQuery
        self.name = name
        self.password = password
        invitation = nil
    }

    /// Creates the recovery link for a user who cannot sign in by password.
    ///
    /// A user whose address is unverified gets a link to choose another password, whatever was requested: the current
    /// password may have been chosen by a third party who entered the address.
    ///
    /// Without a recipient, the link is of the same size, would create an account that cannot be used, and has a token
    /// that is never sent. It is stored so that both cases take the same time.
    static func recovery(by help: PasswordRecovery.Help, of user: User?, interaction: String?, browserHash: [UInt8])
        -> MailedLink
    {
        guard let user, reaches(user), let address = user.email else {
            return MailedLink(
                .registration, email: .nobody, interaction: interaction, browserHash: browserHash,
                password: nobodysPassword)
        }
        return MailedLink(
            help == .signInLink && user.isEmailVerified ? .signIn : .password, subject: user.subject, email: address,
            interaction: interaction, browserHash: browserHash)
    }

    /// Lifetime of this link; one that is never sent is kept only as long as a sign-in link.
    var life: Duration { email == .nobody ? MailedLinkPurpose.signIn.life : purpose.life }

    /// Whether recovery mail is sent to the user.
    static func reaches(_ user: User) -> Bool { user.suspendedAt == nil && user.email != nil }

    /// Hash of no known password.
    private static let nobodysPassword = PasswordHash(
        "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")

    init(_ row: inout Row) throws(PostgresFailure) {
        purpose = try row.next()
        subject = try row.next()
        email = try row.next()
        interaction = try row.next()
        browserHash = try row.next()
        requestQuery = try row.next()
        name = PersonName(stored: try row.next(), try row.next())
        password = try row.next(String?.self).flatMap(PasswordHash.init)
        invitation = try row.next()
    }
}

/// Purpose of a mailed link.
public enum MailedLinkPurpose: String, SQLText, Sendable {
    /// Confirms the address of a registration and creates the account.
    case registration
    /// Allows the user to choose another password.
    case password
    /// Confirms a new address of an existing user.
    case email
    /// Allows a user invited by the team to create an account.
    case invitation
    /// Replaces the password once, in the browser that requested the link.
    case signIn = "sign_in"

    /// Lifetime of a link.
    var life: Duration {
        switch self {
        case .registration, .email: .seconds(24 * 3600)
        case .password: .seconds(3600)
        case .signIn: .seconds(900)
        case .invitation: UserInvitation.life
        }
    }
}
