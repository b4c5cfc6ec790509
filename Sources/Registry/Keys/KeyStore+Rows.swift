import Bytes
import Domain
import Postgres

// The statements behind the changes.
extension KeyStore {
    static let columns: SQL = """
        k.key_id, k.name, k.app_id, k.public_key_pem, k.fingerprint, k.private_key_sealed IS NOT NULL,
        k.downloaded_at, k.created_at, k.revoked_at, u.last_used_at
        """
    static let tables: SQL = """
        keys AS k LEFT JOIN key_uses AS u ON u.team_id = k.team_id AND u.key_id = k.key_id
        """

    static func selection(_ id: KeyID, _ team: TeamID) -> SQL {
        """
        SELECT \(columns) FROM \(tables) WHERE k.team_id = \(team) AND k.key_id = \(id)
        """
    }

    /// The key, which nobody else changes until the transaction ends.
    static func lock(
        _ id: KeyID,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) -> Key? {
        let rows = try await transaction.query("\(selection(id, team)) FOR UPDATE OF k")
        return try rows.firstValue(Key.init)
    }

    /// Revoked keys of one App ID that are kept, for its list.
    static let revokedKeys = 50

    /// Removes the keys that were revoked before the last ones of their App ID: a key is issued and revoked as often as
    /// somebody likes, and the audit log tells of all of them.
    static func forgetOldest(
        of appID: ClientID,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) {
        try await transaction.query(
            """
            DELETE FROM keys WHERE team_id = \(team) AND key_id IN (
                SELECT key_id FROM keys
                WHERE team_id = \(team) AND app_id = \(appID) AND slot IS NULL
                ORDER BY revoked_at DESC, key_id OFFSET \(revokedKeys) LIMIT 1000
            )
            """
        )
    }

    /// Keys hang on primary App IDs only.
    static func requireRoom(
        on appID: ClientID,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws {
        try await AppIDStore.holdPrimary(appID, in: team, transaction)
    }

    /// Inserts into the lowest free of the two slots, again when another transaction was faster to take it.
    ///
    /// - Returns: false when the team has a key of this id.
    static func insert(
        _ key: KeyRow,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws -> Bool {
        // Each further attempt means that someone else got a slot or lost one, so a handful is plenty.
        for _ in 0..<50 {
            let rows = try await transaction.query(insertion(of: key, in: team))
            var row = try rows.only { (row: inout Row) throws(PostgresFailure) in row }
            let isTaken: Bool = try row.next()
            if isTaken { return false }
            let isFull: Bool = try row.next()
            if isFull { throw Refusal.limitReached(.activeKeys, of: key.appID.rawValue) }
            let isInserted: Bool = try row.next()
            if isInserted { return true }
        }
        throw PostgresFailure.overloaded
    }

    private static func insertion(of key: KeyRow, in team: TeamID) -> SQL {
        """
        WITH free AS (
            SELECT min(candidate.slot) AS slot
            FROM generate_series(1, \(Limit.activeKeys.count)) AS candidate (slot)
            WHERE NOT EXISTS (
                SELECT FROM keys AS taken
                WHERE taken.team_id = \(team) AND taken.app_id = \(key.appID) AND taken.slot = candidate.slot
            )
        ), inserted AS (
            INSERT INTO keys (
                team_id, key_id, name, app_id, slot, public_key_pem, fingerprint, private_key_sealed
            )
            SELECT \(team), \(key.id), \(key.name), \(key.appID), free.slot, \(key.publicKeyPEM),
                \(key.fingerprint), \(key.sealed)
            FROM free
            WHERE free.slot IS NOT NULL
            ON CONFLICT DO NOTHING
            RETURNING slot
        )
        SELECT
            EXISTS (SELECT FROM keys WHERE team_id = \(team) AND key_id = \(key.id)),
            free.slot IS NULL,
            EXISTS (SELECT FROM inserted)
        FROM free
        """
    }

    /// The event of a new key, and the key.
    static func report(
        _ action: String,
        _ key: KeyRow,
        in team: TeamID,
        by actor: Actor,
        from origin: Origin,
        _ transaction: borrowing Transaction
    ) async throws -> Key {
        let change = AuditedChange(action, "key", key.id.rawValue, to: key.auditedMembers)
        try await change.record(in: team, by: actor, from: origin, transaction)
        return try await transaction.query(selection(key.id, team)).only(Key.init)
    }

    /// Takes the sealed private half out of the row: whoever waited for the lock finds none.
    static func takePrivateHalf(
        of id: KeyID,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) -> [UInt8]? {
        let rows = try await transaction.query(
            """
            WITH held AS (
                SELECT private_key_sealed AS sealed FROM keys
                WHERE team_id = \(team) AND key_id = \(id) AND private_key_sealed IS NOT NULL
                FOR UPDATE
            )
            UPDATE keys SET private_key_sealed = NULL, downloaded_at = now()
            FROM held
            WHERE team_id = \(team) AND key_id = \(id)
            RETURNING held.sealed
            """
        )
        return try rows.firstValue { (row: inout Row) throws(PostgresFailure) in try row.next() }
    }
}
