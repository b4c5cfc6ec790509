import Audit
import Bytes
public import Domain
import Postgres

/// Ends what apps may know: revocation, *Stop using*, a team's decision.
///
/// The next sign-in is a first one again, with the same `sub`.
public struct ConsentEndStore: Sendable {
    private let database: TeamDatabase

    public init(_ database: TeamDatabase) {
        self.database = database
    }

    /// Ends a person's consent to a group of apps, with the codes and refresh tokens the group holds.
    ///
    /// - Returns: whether there was anything to end.
    /// - Throws: `PostgresFailure`.
    @discardableResult
    public func end(
        of subject: Subject,
        for appID: ClientID,
        in team: TeamID,
        by actor: Actor,
        from origin: Origin
    ) async throws -> Bool {
        try await database.transaction(in: team) { transaction in
            let consents = try await transaction.query(
                """
                DELETE FROM consents
                WHERE team_id = \(team) AND sub = \(subject) AND app_id = \(appID)
                """
            )
            // Codes before tokens: a redemption under way holds its code, and its token is seen once it is done.
            // A redeemed code stays, so that a second redemption is known as one.
            try await transaction.query(
                """
                DELETE FROM authorization_codes
                WHERE team_id = \(team) AND sub = \(subject) AND app_id = \(appID) AND redeemed_at IS NULL
                """
            )
            let tokens = try await transaction.query(
                """
                UPDATE refresh_tokens SET revoked_at = clock_timestamp()
                WHERE team_id = \(team) AND sub = \(subject) AND app_id = \(appID) AND revoked_at IS NULL
                """
            )
            guard consents.changed + tokens.changed > 0 else { return false }
            try await AuditEvent(
                "consent.ended",
                by: actor,
                on: .user(subject),
                from: origin,
                after: [
                    "appID": .string(appID.rawValue), "refreshTokens": .integer(Int64(tokens.changed)),
                ]
            )
            .record(in: team, transaction)
            return true
        }
    }
}
