import Domain
import Postgres

/// The space of names that App IDs and Service IDs of a team share.
enum ClientIdentifierStore {
    /// Takes a name, which the caller's transaction then gives to an App ID or a Service ID.
    ///
    /// - Throws: `Refusal` when the team has it already, in whatever case.
    static func claim(
        _ identifier: ClientID,
        for kind: ClientKind,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws {
        let claimed = try await transaction.query(
            """
            INSERT INTO client_identifiers (team_id, identifier, kind)
            VALUES (\(team), \(identifier), \(kind.rawValue))
            ON CONFLICT DO NOTHING
            """
        )
        if claimed.changed == 1 {
            try await requireNothing(of: identifier, for: kind, in: team, transaction)
            return
        }
        try await requireFree(identifier, for: kind, in: team, transaction)
        // Whoever held it has let go in between; then it is as good as taken for this attempt.
        throw Refusal.identifierTaken(identifier, by: kind)
    }

    /// - Throws: `Refusal` when the team has the name, in whatever case.
    static func requireFree(
        _ identifier: ClientID,
        for kind: ClientKind,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws {
        let holders = try await transaction.query(
            """
            SELECT identifier, kind FROM client_identifiers
            WHERE team_id = \(team) AND lower(identifier) = lower(\(identifier))
            """
        )
        guard var holder = holders.first else {
            try await requireNothing(of: identifier, for: kind, in: team, transaction)
            return
        }
        let name: ClientID = try holder.next()
        let holderKind: String = try holder.next()
        if kind == .service, holderKind == ClientKind.app.rawValue { throw Refusal.bundleIDAsServiceID(name) }
        throw Refusal.identifierTaken(name, by: ClientKind(rawValue: holderKind) ?? kind)
    }

    /// - Throws: `Refusal` when something is left of an earlier client of that name, or Apple knows it as something else.
    private static func requireNothing(
        of identifier: ClientID,
        for kind: ClientKind,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws {
        let ended = try await transaction.query(
            "SELECT FROM ended_clients WHERE team_id = \(team) AND client_id = \(identifier)"
        )
        guard ended.isEmpty else { throw Refusal.identifierEnding(identifier) }
        guard kind == .app else { return }
        try await AppleConnectionStore.requireNone(as: identifier, in: team, transaction)
    }

    /// Refresh tokens that go at once with their client.
    static let tokensAtOnce = 10_000

    /// Ends the refresh tokens of clients that go: none is good for anything without its client.
    ///
    /// Where they are many the rest is left to `BatchedPurge.endedClients`, and until then nobody else has the names.
    private static func endTokens(
        of names: [String],
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) {
        let ended = try await transaction.query(
            "DELETE FROM refresh_tokens WHERE team_id = \(team) AND token_id IN (\(tokens(of: names, in: team)))"
        )
        guard ended.changed == tokensAtOnce else { return }
        try await transaction.query(
            """
            INSERT INTO ended_clients (team_id, client_id) SELECT \(team), name FROM unnest(\(names)) AS name
            ON CONFLICT DO NOTHING
            """
        )
    }

    /// With the condition of the index that serves nothing else, and holds for every token.
    static func tokens(of names: [String], in team: TeamID) -> SQL {
        """
        SELECT token_id FROM refresh_tokens
        WHERE team_id = \(team) AND client_id = ANY(\(names)) AND authenticated_at > '-infinity'
        LIMIT \(tokensAtOnce)
        """
    }

    /// Gives names back: what they named goes with them, and so does what was issued to them, lest a client of the
    /// same name finds old tokens working.
    static func release(
        _ identifiers: [ClientID],
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) {
        let names = identifiers.map(\.rawValue)
        try await transaction.query(
            "DELETE FROM authorization_codes WHERE team_id = \(team) AND client_id = ANY(\(names))"
        )
        try await endTokens(of: names, in: team, transaction)
        // One by one: an App ID cannot go before its Service IDs, and the order of one statement is not ours.
        for name in names {
            try await transaction.query(
                "DELETE FROM client_identifiers WHERE team_id = \(team) AND identifier = \(name)"
            )
        }
    }
}
