public import Bytes
public import Crypto
public import Domain
public import Postgres

/// A mail to a person about their account, before it has words.
public enum AccountMail: Sendable {
    /// Shows that the address is theirs.
    case confirmation(LinkToken, MailedLinkPurpose, until: Timestamp)
    /// Somebody wants an account, or this address for theirs, and it is in use already.
    case known
    case passwordReset(LinkToken, until: Timestamp)
    /// Stands in for the password once.
    case signInLink(LinkToken, until: Timestamp)
    /// Help that nobody is to get: it is written like the real one and never sent.
    case decoy(PasswordRecovery.Help, LinkToken, until: Timestamp)
    /// The team asks them to make an account.
    case invitation(LinkToken, until: Timestamp)
    /// By a mailed link.
    case passwordChanged
    /// On the person's own page, by whoever knew the one before.
    case ownPasswordChanged
    /// To the address that was theirs before.
    case emailChanged
    case factors(FactorChange)
}

/// Puts mail into words and into the outbox, in the transaction it belongs to.
public struct AccountPost: Sendable {
    /// - Parameter language: what the person reads.
    public typealias Send =
        @Sendable (
            _ mail: AccountMail,
            _ recipient: EmailAddress,
            _ language: Language,
            _ team: TeamID,
            _ transaction: borrowing Transaction
        ) async throws -> Void

    let send: Send

    public init(_ send: @escaping Send) {
        self.send = send
    }
}

/// Where a request about an account comes from, and in which language it is answered.
public struct AccountCaller: Sendable {
    public let team: TeamID
    public let language: Language
    public let origin: Origin
    public let now: Timestamp

    public init(team: TeamID, language: Language, origin: Origin, now: Timestamp) {
        self.team = team
        self.language = language
        self.origin = origin
        self.now = now
    }
}
