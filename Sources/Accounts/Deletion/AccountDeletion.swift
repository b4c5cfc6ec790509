public import Crypto
public import Directory
public import Federation
import OAuth
public import Platform
public import Postgres

/// Deletes accounts: revokes all tokens at once, notifies the apps, and writes a receipt with the state of each token.
public struct AccountDeletion: UpstreamAccounts {
    let database: TeamDatabase
    let random: RandomSource

    public init(_ database: TeamDatabase, random: RandomSource) {
        self.database = database
        self.random = random
    }

    /// Deletes a user permanently, in one transaction.
    ///
    /// Sign-in traces are deleted with the user up to some thousand events; a job enqueued in the same transaction
    /// deletes the rest in batches.
    ///
    /// - Parameters:
    ///   - primaryAppID: the group of the requesting client, which the user must be using; nil when the user or a
    ///     member of the team requests the deletion.
    ///   - right: the session in which users delete their own account.
    /// - Returns: the receipt, or nil when the user does not exist or does not use the group's apps.
    /// - Throws: `SessionRight.Ended`, `PostgresFailure`.
    public func delete(
        _ subject: Subject, in team: TeamID, for primaryAppID: ClientID? = nil, by actor: Actor,
        with right: SessionRight? = nil, from origin: Origin, reason: String? = nil
    ) async throws -> ReceiptID? {
        try await database.transaction(in: team, locking: .person(subject, in: team)) { transaction in
            if let right {
                // The same lock as the deletion takes: with a weaker one, two deletions would deadlock.
                try await transaction.query(UserStore.deletionLock(subject, in: team))
                try await right.check(transaction)
            }
            return try await delete(
                subject, in: team, for: primaryAppID, by: actor, from: origin, reason: reason, transaction)
        }
    }

    /// Deletes a user permanently in the caller's transaction.
    public func delete(
        _ subject: Subject, in team: TeamID, for primaryAppID: ClientID? = nil, by actor: Actor, from origin: Origin,
        reason: String? = nil, _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) -> ReceiptID? {
        let receipt = ReceiptID(random: random)
        guard try await DeletionStore.lock(subject, usedBy: primaryAppID, in: team, transaction) else { return nil }
        try await DeletionStore.insert(receipt, of: subject, for: primaryAppID, in: team, transaction)
        try await DeletionStore.endProviderTokens(of: subject, in: team, transaction)
        try await Notifications.enqueue(.accountDelete, of: subject, in: team, transaction)
        _ = try await UserDeletionStore(database).delete(
            subject, in: team, by: actor, from: origin, reason: reason, transaction)
        try await UserTraceStore.removeFirst(of: subject, in: team, transaction)
        return receipt
    }
}

extension AccountDeletion {
    public func end(
        _ subject: Subject, in team: TeamID, by actor: Actor, reason: String, _ transaction: borrowing Transaction
    ) async throws { _ = try await delete(subject, in: team, by: actor, from: .local, reason: reason, transaction) }

    public func noting(_ fate: UpstreamTokenFate?, ofThose tokens: SQL, in team: TeamID) -> SQL {
        DeletionStore.noting(fate, ofThose: tokens, in: team)
    }
}
