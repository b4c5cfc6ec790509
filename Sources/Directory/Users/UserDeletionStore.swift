import Audit
import Bytes
public import Domain
public import Postgres

/// Deletes users for good.
///
/// Their `sub` is never given out again, since it is random; a person who comes back from Apple has the old one.
public struct UserDeletionStore: Sendable {
    /// Rows that one statement removes: a person may have had any number of them.
    private static let batch = 50_000

    private let database: TeamDatabase

    public init(_ database: TeamDatabase) {
        self.database = database
    }

    /// Deletes a person with codes, tokens, sessions, consents, password and login names.
    ///
    /// What the inspector keeps of their sign-ins is the caller's to remove.
    ///
    /// - Returns: whether there was such a person.
    /// - Throws: `PostgresFailure`.
    public func delete(
        _ subject: Subject,
        in team: TeamID,
        by actor: Actor,
        from origin: Origin,
        reason: String? = nil
    ) async throws -> Bool {
        try await database.transaction(in: team, locking: .person(subject, in: team)) { transaction in
            try await delete(subject, in: team, by: actor, from: origin, reason: reason, transaction)
        }
    }

    /// The same in the caller's transaction.
    public func delete(
        _ subject: Subject,
        in team: TeamID,
        by actor: Actor,
        from origin: Origin,
        reason: String? = nil,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) -> Bool {
        // Locked first, so that nothing which refers to the person is added meanwhile.
        let person = try await transaction.query(UserStore.deletionLock(subject, in: team))
        guard !person.isEmpty else { return false }
        // Codes before tokens: a redemption under way holds its code, and its token is seen once it is done.
        try await transaction.query(
            "DELETE FROM authorization_codes WHERE team_id = \(team) AND sub = \(subject)"
        )
        let tokens = try await Self.removeAll(
            """
            DELETE FROM refresh_tokens WHERE team_id = \(team) AND token_id IN (
                SELECT token_id FROM refresh_tokens WHERE team_id = \(team) AND sub = \(subject)
                LIMIT \(Self.batch)
            )
            """,
            transaction
        )
        _ = try await Self.removeAll(
            """
            DELETE FROM sessions WHERE team_id = \(team) AND token_hash IN (
                SELECT token_hash FROM sessions WHERE team_id = \(team) AND sub = \(subject)
                LIMIT \(Self.batch)
            )
            """,
            transaction
        )
        try await transaction.query(ProviderAnnouncement.removal(of: subject, in: team))
        try await transaction.query(ProviderPartings.noting(of: subject, in: team))
        try await transaction.query("DELETE FROM users WHERE team_id = \(team) AND sub = \(subject)")
        var after: [String: JSONValue] = ["refreshTokens": .integer(Int64(tokens))]
        if let reason { after["reason"] = .string(reason) }
        try await AuditEvent(
            "user.deleted",
            by: actor,
            on: .user(subject),
            from: origin,
            after: .object(after)
        )
        .record(in: team, transaction)
        return true
    }

    /// Repeats a statement that removes a bounded number of rows until none is left; they go together all the same.
    private static func removeAll(
        _ statement: SQL,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) -> Int {
        var (total, removed) = (0, 0)
        repeat {
            removed = try await transaction.query(statement).changed
            total += removed
        } while removed == batch
        return total
    }
}
