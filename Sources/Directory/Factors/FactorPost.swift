public import Bytes
public import Domain
public import Postgres

/// What happened to the ways in which somebody proves who they are.
public enum FactorChange: Hashable, Sendable {
    case totpAdded
    case totpReplaced
    case totpRemoved
    case passkeyAdded(name: String)
    case passkeyRemoved(name: String)
    case recoveryCodesRenewed
    /// The team has taken all of them away.
    case reset
    case providerLinked(ProviderID)
    case providerUnlinked(ProviderID)
}

/// Tells people by mail that the ways in which they prove who they are changed, their password among them, in the
/// transaction of the change.
public struct FactorPost: Sendable {
    private let post: AccountPost
    private let language: Language

    /// - Parameter language: what the person reads, as far as it is known.
    public init(_ post: AccountPost, in language: Language) {
        self.post = post
        self.language = language
    }

    /// Writes to the person, if they have an address.
    public func tell(
        _ change: FactorChange,
        to subject: Subject,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws {
        try await send(.factors(change), to: subject, in: team, transaction)
    }

    /// Writes to the person, if they have an address, that their password is another.
    func tellPasswordChanged(
        to subject: Subject,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws {
        try await send(.ownPasswordChanged, to: subject, in: team, transaction)
    }

    private func send(
        _ mail: AccountMail,
        to subject: Subject,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws {
        guard let email = try await FactorRowStore.address(of: subject, in: team, transaction) else { return }
        try await post.send(mail, email, language, team, transaction)
    }
}
