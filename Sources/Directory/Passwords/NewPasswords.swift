public import Core
import Crypto
import EventLoop
public import Platform

/// Checks new passwords, off the event loops and limited per network.
///
/// A check takes up to some 60 ms of a core, and a rejected password changes nothing.
public struct NewPasswords: Sendable {
    private let database: TeamDatabase
    private let hasher: PasswordHasher

    public init(_ database: TeamDatabase, hasher: PasswordHasher) {
        self.database = database
        self.hasher = hasher
    }

    /// Checks a password against the rules of its team.
    ///
    /// - Throws: `TooManyRequests`, `PasswordHasher.Busy`, `PostgresFailure`.
    public func judge(_ text: String, by rule: PasswordRule, in team: TeamID, from origin: Origin, at now: Timestamp)
        async throws -> Result<NewPassword, NewPassword.Problem>
    {
        try await database.count([RateLimit.Use(.unauthenticatedWrites, by: .network(origin.ip))], in: team, at: now)
        do {
            return try await hasher.judges.run(for: team.rawValue) {
                Result { () throws(NewPassword.Problem) in try NewPassword(text, by: rule) }
            }
        } catch { throw PasswordHasher.Busy() }
    }
}
