public import Crypto
public import Directory
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
    /// What the inspector keeps of their sign-ins goes with them up to some thousand steps, the rest piece by piece by a
    /// job that is enqueued in the same transaction.
    ///
    /// - Parameters:
    ///   - group: the group of the client that asks, which the person must be using; nil when a person or a member of the
    ///     team does.
    ///   - right: the session in which the person asks for it themselves.
    /// - Returns: the receipt, or nil when there is no such person, or they do not use the group's apps.
    /// - Throws: `SessionRight.Over`, `PostgresFailure`.
    public func delete(
        _ subject: Subject,
        in team: TeamID,
        for group: ClientID? = nil,
        by actor: Actor,
        with right: SessionRight? = nil,
        from origin: Origin,
        reason: String? = nil
    ) async throws -> ReceiptID? {
        try await database.transaction(in: team, locking: .person(subject, in: team)) { transaction in
            if let right {
                // Locked as the deletion does: what is weaker would have two deletions wait for one another.
                try await transaction.query(UserStore.deletionLock(subject, in: team))
                try await right.check(transaction)
            }
            return try await delete(
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
        guard try await DeletionStore.lock(subject, usedBy: group, in: team, transaction) else { return nil }
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
        try await PersonFlowStore.removeFirst(of: subject, in: team, transaction)
        return receipt
    }
}
