public import Core
public import Crypto
public import Platform
public import Postgres

/// Mail to a user about their account, before its text is rendered.
public enum AccountMail: Sendable {
    /// Link that confirms that the user controls the address.
    case confirmation(LinkToken, MailedLinkPurpose, until: Timestamp)
    /// Reports that the address is in use; sent when a registration or an email change names such an address.
    case known
    case passwordReset(LinkToken, until: Timestamp)
    /// Link that replaces the password once.
    case signInLink(LinkToken, until: Timestamp)
    /// Recovery mail without a recipient: rendered like the real mail and never sent.
    case decoy(PasswordRecovery.Help, LinkToken, until: Timestamp)
    /// Invitation by the team to create an account.
    case invitation(LinkToken, until: Timestamp)
    /// Reports a password change by a mailed link.
    case passwordChanged
    /// Reports a password change on the account page, made with the previous password.
    case ownPasswordChanged
    /// Reports an email change, to the previous address.
    case emailChanged
    case factors(FactorChange)
}

/// Renders account mail and inserts it into the outbox, in the transaction that causes it.
public struct AccountMailer: Sendable {
    /// Renders one mail and inserts it into the outbox.
    ///
    /// - Parameter language: language of the mail.
    public typealias Send =
        @Sendable (
            _ mail: AccountMail, _ recipient: EmailAddress, _ language: Language, _ team: TeamID,
            _ transaction: borrowing Transaction
        ) async throws -> Void

    let send: Send

    public init(_ send: @escaping Send) { self.send = send }
}
