public import Crypto
import Directory
public import Domain
public import Postgres

/// Deletes accounts: tokens end here at once, the apps are told, and a receipt says what became of each token.
public struct AccountDeletion: Sendable {
    let database: TeamDatabase
    let random: RandomSource

    public init(_ database: TeamDatabase, random: RandomSource) {
        self.database = database
        self.random = random
    }

    /// Deletes a person for good, in one transaction.
    ///
    /// - Parameter group: the group of the client that asks; nil when a person or a member of the team does.
    /// - Returns: the receipt, or nil when there is no such person.
    /// - Throws: `PostgresFailure`.
    public func delete(
        _ subject: Subject,
        in team: TeamID,
        for group: ClientID? = nil,
        by actor: Actor,
        from origin: Origin,
        reason: String? = nil
    ) async throws -> ReceiptID? {
        try await database.transaction(in: team) { transaction in
            try await delete(
                subject,
                in: team,
                for: group,
                by: actor,
                from: origin,
                reason: reason,
                transaction
            )
        }
    }

    /// The same in the caller's transaction.
    public func delete(
        _ subject: Subject,
        in team: TeamID,
        for group: ClientID? = nil,
        by actor: Actor,
        from origin: Origin,
        reason: String? = nil,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) -> ReceiptID? {
        let receipt = ReceiptID(random: random)
        guard try await DeletionStore.lock(subject, in: team, transaction) else { return nil }
        try await DeletionStore.insert(receipt, of: subject, for: group, in: team, transaction)
        try await DeletionStore.endProviderTokens(of: subject, in: team, transaction)
        try await Notices.enqueue(.accountDelete, of: subject, in: team, transaction)
        _ = try await UserDeletionStore(database).delete(
            subject,
            in: team,
            by: actor,
            from: origin,
            reason: reason,
            transaction
        )
        return receipt
    }
}
