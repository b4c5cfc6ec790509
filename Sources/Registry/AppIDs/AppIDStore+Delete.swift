import Core
public import Platform
public import Postgres

extension AppIDStore {
    /// Objects that deleting `identifier` would affect, or nil when the team has no such App ID.
    public func consequences(of identifier: ClientID, in team: TeamID) async throws(PostgresFailure)
        -> AppIDConsequences?
    {
        let rows = try await database.query(Self.consequencesQuery(identifier, team), in: team)
        return try rows.firstValue(AppIDConsequences.init)
    }

    /// Deletes the App ID with its Service IDs, keys and consents, and deletes the tokens of its clients.
    ///
    /// - Returns: the deleted and changed objects, or nil when the team has no such App ID.
    public func delete(_ identifier: ClientID, reason: String, in team: TeamID, by actor: Actor, from origin: Origin)
        async throws -> AppIDConsequences?
    {
        try await database.transaction(in: team) { transaction in
            try await delete(identifier, reason: reason, in: team, by: actor, from: origin, transaction)
        }
    }

    public func delete(
        _ identifier: ClientID, reason: String, in team: TeamID, by actor: Actor, from origin: Origin,
        _ transaction: borrowing Transaction
    ) async throws -> AppIDConsequences? {
        // Locks and reads in two statements, because only the second sees commits made during the wait for the lock.
        guard let appID = try await Self.lock(identifier, in: team, transaction) else { return nil }
        let rows = try await transaction.query(Self.consequencesQuery(identifier, team))
        let consequences = try rows.only(AppIDConsequences.init)
        try await Self.releaseChildren(of: identifier, in: team, transaction)
        try await ClientIdentifierStore.release(consequences.serviceIDs + [identifier], in: team, transaction)
        let change = AuditedChange(
            "app_id.deleted", "app_id", identifier.rawValue,
            from: appID.draft.auditedMembers.merging(consequences.auditedMembers) { $1 },
            to: AuditedChange.reason(reason))
        try await change.record(in: team, by: actor, from: origin, transaction)
        return consequences
    }

    static func consequencesQuery(_ identifier: ClientID, _ team: TeamID) -> SQL {
        """
        SELECT
            ARRAY(
                SELECT s.identifier FROM service_ids AS s
                WHERE s.team_id = a.team_id AND s.app_id = a.identifier ORDER BY s.slot
            ),
            ARRAY(
                SELECT k.key_id FROM keys AS k
                WHERE k.team_id = a.team_id AND k.app_id = a.identifier AND k.slot IS NOT NULL
                ORDER BY k.slot
            ),
            ARRAY(
                SELECT p.key_id FROM apple_keys AS p
                WHERE p.team_id = a.team_id AND p.app_id = a.identifier ORDER BY p.slot
            ),
            ARRAY(
                SELECT g.identifier FROM app_ids AS g
                WHERE g.team_id = a.team_id AND g.primary_identifier = a.identifier ORDER BY g.identifier
            ),
            (SELECT count(*) FROM (
                SELECT FROM consents AS c WHERE c.team_id = a.team_id AND c.app_id = a.identifier
                LIMIT \(AppIDConsequences.countLimit + 1)
            ) AS counted)
        FROM app_ids AS a
        WHERE a.team_id = \(team) AND a.identifier = \(identifier)
        """
    }

    private static func releaseChildren(of identifier: ClientID, in team: TeamID, _ transaction: borrowing Transaction)
        async throws(PostgresFailure)
    {
        try await transaction.query(
            """
            UPDATE app_ids SET primary_identifier = NULL, version = version + 1
            WHERE team_id = \(team) AND primary_identifier = \(identifier)
            """)
        try await transaction.query(
            """
            DELETE FROM keys WHERE team_id = \(team) AND app_id = \(identifier)
            """)
        try await transaction.query(
            """
            DELETE FROM apple_connections WHERE team_id = \(team) AND app_id = \(identifier)
            """)
        try await transaction.query(
            """
            DELETE FROM apple_keys WHERE team_id = \(team) AND app_id = \(identifier)
            """)
    }
}
