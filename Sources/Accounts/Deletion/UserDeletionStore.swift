import Core
import Directory
import Federation
import OAuth
public import Platform
public import Postgres

/// Deletes users permanently.
///
/// A `sub` is never assigned again, because it is random; a user who returns from Apple has the old one.
public struct UserDeletionStore: Sendable {
    private let database: TeamDatabase

    public init(_ database: TeamDatabase) { self.database = database }

    /// Deletes a user with codes, tokens, sessions, consents, password and login names.
    ///
    /// The caller deletes the user's sign-in traces.
    ///
    /// - Returns: whether the user existed.
    /// - Throws: `PostgresFailure`.
    public func delete(_ subject: Subject, in team: TeamID, by actor: Actor, from origin: Origin, reason: String? = nil)
        async throws -> Bool
    {
        try await database.transaction(in: team, locking: .person(subject, in: team)) { transaction in
            try await delete(subject, in: team, by: actor, from: origin, reason: reason, transaction)
        }
    }

    /// Deletes a user in the caller's transaction.
    public func delete(
        _ subject: Subject, in team: TeamID, by actor: Actor, from origin: Origin, reason: String? = nil,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) -> Bool {
        // Locked first, so that no row that refers to the user is added meanwhile.
        let person = try await transaction.query(UserStore.deletionLock(subject, in: team))
        guard !person.isEmpty else { return false }
        let tokens = try await AuthorizationEnd.deleteAll(of: subject, in: team, transaction)
        try await SessionStore.deleteAll(of: subject, in: team, transaction)
        try await transaction.query(ProviderAnnouncement.removal(of: subject, in: team))
        try await transaction.query(FederatedUnlinks.noting(of: subject, in: team))
        try await transaction.query(UserStore.deletion(of: subject, in: team))
        var after: [String: JSONValue] = ["refreshTokens": .integer(Int64(tokens))]
        if let reason { after["reason"] = .string(reason) }
        try await AuditEvent("user.deleted", by: actor, on: .user(subject), from: origin, after: .object(after)).record(
            in: team, transaction)
        return true
    }
}
