import Platform
import Postgres

/// The client identifiers of a team, which App IDs and Service IDs share.
enum ClientIdentifierStore {
    /// Reserves an identifier, for which the caller's transaction then creates an App ID or a Service ID.
    ///
    /// - Throws: `ValidationError` when it is not free in the team, compared without regard to case.
    static func claim(_ identifier: ClientID, for kind: ClientKind, _ change: borrowing Change) async throws {
        let claimed = try await change.query(
            """
            INSERT INTO client_identifiers (team_id, identifier, kind)
            VALUES (\(change.team), \(identifier), \(kind.rawValue))
            ON CONFLICT DO NOTHING
            """)
        if claimed.changed == 1 {
            try await requireNothing(of: identifier, for: kind, change)
            return
        }
        try await requireFree(identifier, for: kind, change)
        // The identifier was released between the two statements; this request still reports it as taken.
        throw ValidationError.identifierTaken(identifier, by: kind)
    }

    /// - Throws: `ValidationError` when the identifier is not free in the team, compared without regard to case.
    static func requireFree(_ identifier: ClientID, for kind: ClientKind, _ change: borrowing Change) async throws {
        let holders = try await change.query(
            """
            SELECT identifier, kind FROM client_identifiers
            WHERE team_id = \(change.team) AND lower(identifier) = lower(\(identifier))
            """)
        guard var holder = holders.first else {
            try await requireNothing(of: identifier, for: kind, change)
            return
        }
        let name: ClientID = try holder.next()
        let holderKind: String = try holder.next()
        if kind == .service, holderKind == ClientKind.app.rawValue { throw ValidationError.bundleIDAsServiceID(name) }
        throw ValidationError.identifierTaken(name, by: ClientKind(rawValue: holderKind) ?? kind)
    }

    /// - Throws: `ValidationError` when refresh tokens of a deleted client with this identifier are left, or an App ID
    ///   would have the Services ID of a connection to Apple.
    private static func requireNothing(of identifier: ClientID, for kind: ClientKind, _ change: borrowing Change)
        async throws
    {
        let ended = try await change.query(
            "SELECT FROM ended_clients WHERE team_id = \(change.team) AND client_id = \(identifier)")
        guard ended.isEmpty else { throw ValidationError.identifierEnding(identifier) }
        guard kind == .app else { return }
        try await AppleConnectionStore.requireNone(as: identifier, change)
    }

    /// Maximum number of refresh tokens that are deleted together with their clients.
    static let tokensAtOnce = 10_000

    /// Deletes refresh tokens of deleted clients, because a token is useless without its client.
    ///
    /// Clients with tokens left, because there are too many or a concurrent transaction is deleting some, are noted in
    /// `ended_clients`. `Retention` deletes the rest; until then the identifiers cannot be reused. The
    /// row count of the DELETE does not show whether tokens are left: it omits tokens of concurrent transactions.
    private static func endTokens(of names: [String], _ change: borrowing Change) async throws(PostgresFailure) {
        try await change.query(
            "DELETE FROM refresh_tokens WHERE team_id = \(change.team) AND token_id IN (\(tokens(of: names, in: change.team)))"
        )
        try await change.query(
            """
            INSERT INTO ended_clients (team_id, client_id)
            SELECT \(change.team), name FROM unnest(\(names)) AS name
            WHERE EXISTS (
                SELECT FROM refresh_tokens
                WHERE team_id = \(change.team) AND client_id = name AND authenticated_at > '-infinity'
            )
            ON CONFLICT DO NOTHING
            """)
    }

    /// Selects tokens by the condition of the index `refresh_tokens_of_client`, which is true for every token.
    static func tokens(of names: [String], in team: TeamID) -> SQL {
        """
        SELECT token_id FROM refresh_tokens
        WHERE team_id = \(team) AND client_id = ANY(\(names)) AND authenticated_at > '-infinity'
        LIMIT \(tokensAtOnce)
        """
    }

    /// Deletes identifiers with their clients, and with the codes and tokens issued to them.
    ///
    /// Otherwise a new client with the same identifier could use the old tokens.
    static func release(_ identifiers: [ClientID], _ change: borrowing Change) async throws(PostgresFailure) {
        let names = identifiers.map(\.rawValue)
        try await change.query(
            "DELETE FROM authorization_codes WHERE team_id = \(change.team) AND client_id = ANY(\(names))")
        try await endTokens(of: names, change)
        // One statement each: an App ID must go after its Service IDs, and one statement has no defined order.
        for name in names {
            try await change.query(
                "DELETE FROM client_identifiers WHERE team_id = \(change.team) AND identifier = \(name)")
        }
    }
}

/// Kind of a client; both kinds share the identifiers of a team.
public enum ClientKind: String, Hashable, Sendable {
    case app
    case service
}
