public import Core
public import Platform
import Postgres

/// Notifies users by mail of changes to the ways in which they authenticate, their password among them, in the
/// transaction of the change.
public struct FactorMailer: Sendable {
    private let mailer: AccountMailer
    private let language: Language

    /// - Parameter language: language of the user, as far as it is known.
    public init(_ mailer: AccountMailer, in language: Language) {
        self.mailer = mailer
        self.language = language
    }

    /// Notifies the user of a change, if they have an address.
    public func send(_ news: FactorChange, to subject: Subject, _ change: borrowing Change) async throws {
        try await send(.factors(news), to: subject, change)
    }

    /// Mails the user, if they have an address.
    func send(_ mail: AccountMail, to subject: Subject, _ change: borrowing Change) async throws {
        guard let email = try await FactorRowStore.address(of: subject, change) else { return }
        try await mailer.send(mail, email, language, change.team, change.transaction)
    }
}
