import Audit
import Bytes
public import Domain
public import Postgres

/// Deletes users for good.
///
/// Their `sub` is never given out again, since it is random; a person who comes back from Apple has the old one.
public struct UserDeletionStore: Sendable {
    private let database: TeamDatabase

    public init(_ database: TeamDatabase) {
        self.database = database
    }

    /// Deletes a person with codes, tokens, sessions, consents, password and login names.
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
        try await database.transaction(in: team) { transaction in
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
        let person = try await transaction.query(
            "SELECT FROM users WHERE team_id = \(team) AND sub = \(subject) FOR UPDATE"
        )
        guard !person.isEmpty else { return false }
        // Codes before tokens: a redemption under way holds its code, and its token is seen once it is done.
        try await transaction.query(
            "DELETE FROM authorization_codes WHERE team_id = \(team) AND sub = \(subject)"
        )
        let tokens = try await transaction.query(
            "DELETE FROM refresh_tokens WHERE team_id = \(team) AND sub = \(subject)"
        )
        try await transaction.query(Self.flowDeletion(of: subject, in: team))
        try await transaction.query(ProviderAnnouncement.removal(of: subject, in: team))
        try await transaction.query("DELETE FROM users WHERE team_id = \(team) AND sub = \(subject)")
        var after: [String: JSONValue] = ["refreshTokens": .integer(Int64(tokens.changed))]
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

    /// What the inspector keeps of the person's sign-ins.
    private static func flowDeletion(of subject: Subject, in team: TeamID) -> SQL {
        """
        WITH gone AS (
            DELETE FROM flows WHERE team_id = \(team) AND sub = \(subject) RETURNING flow_id
        )
        DELETE FROM flow_steps USING gone
        WHERE flow_steps.team_id = \(team) AND flow_steps.flow_id = gone.flow_id
        """
    }
}
