import Bytes
import Crypto
public import Domain
public import Postgres

/// What a mailed link is good for.
public enum MailedLinkPurpose: String, SQLText, Sendable {
    /// Shows that the address of an account to be is the person's, and makes the account.
    case registration
    /// Lets the person choose another password.
    case password
    /// Shows that another address is the person's too.
    case email
    /// Lets somebody make an account whom the team has invited.
    case invitation
    /// Stands in for a password, in the browser that asked for it.
    case signIn = "sign_in"

    /// How long the link works.
    var life: Duration {
        switch self {
        case .registration, .email: .seconds(24 * 3600)
        case .password: .seconds(3600)
        case .signIn: .seconds(900)
        case .invitation: UserInvitation.life
        }
    }
}

/// A link that waits to be followed.
public struct MailedLink: Sendable {
    public let purpose: MailedLinkPurpose
    /// Nil while the account is still to be made.
    public let subject: Subject?
    /// Where it was sent.
    public let email: EmailAddress
    /// Names the sign-in that goes on when the link is followed in the browser it began in.
    public let attempt: String?
    /// The browser that asked for it; nil where that does not matter, or the previous release kept the link.
    let browserHash: [UInt8]?
    let name: PersonName
    let password: PasswordHash?
    /// What the team names it by, when it is an invitation.
    let invitation: InvitationID?

    init(
        _ purpose: MailedLinkPurpose,
        subject: Subject? = nil,
        email: EmailAddress,
        attempt: String? = nil,
        browserHash: [UInt8]? = nil,
        name: PersonName = .none,
        password: PasswordHash? = nil
    ) {
        self.purpose = purpose
        self.subject = subject
        self.email = email
        self.attempt = attempt
        self.browserHash = browserHash
        self.name = name
        self.password = password
        invitation = nil
    }

    /// The link that is mailed to somebody who cannot sign in by their password.
    ///
    /// Somebody who has never shown that mail to the address reaches them gets one to choose another password, whatever
    /// was asked for: the password there is may have been chosen by whoever gave the address.
    ///
    /// Where there is nobody to write to it is one of the same size that makes an account nobody can use, under a
    /// token that nobody is sent: it is written, so that both take the same time, and never followed.
    static func recovery(
        by help: PasswordRecovery.Help,
        of user: User?,
        attempt: String?,
        browserHash: [UInt8]
    ) -> MailedLink {
        guard let user, reaches(user), let address = user.email else {
            return MailedLink(
                .registration,
                email: .nobody,
                attempt: attempt,
                browserHash: browserHash,
                password: nobodysPassword
            )
        }
        return MailedLink(
            help == .signInLink && user.isEmailVerified ? .signIn : .password,
            subject: user.subject,
            email: address,
            attempt: attempt,
            browserHash: browserHash
        )
    }

    /// How long it works; one that nobody is sent is kept no longer than help is.
    var life: Duration { email == .nobody ? MailedLinkPurpose.signIn.life : purpose.life }

    /// Whether help is mailed to that person.
    static func reaches(_ user: User) -> Bool {
        user.suspendedAt == nil && user.email != nil
    }

    /// A hash of no known password.
    private static let nobodysPassword = PasswordHash(
        "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
    )

    init(_ row: inout Row) throws(PostgresFailure) {
        purpose = try row.next()
        subject = try row.next()
        email = try row.next()
        attempt = try row.next()
        browserHash = try row.next()
        name = PersonName(stored: try row.next(), try row.next())
        password = try row.next(String?.self).flatMap(PasswordHash.init)
        invitation = try row.next()
    }
}
