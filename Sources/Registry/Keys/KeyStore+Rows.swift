import Core
import Platform
import Postgres

// SQL of the changes.
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

    /// Reads the key and locks its row until the transaction ends.
    static func lock(_ id: KeyID, in team: TeamID, _ transaction: borrowing Transaction) async throws(PostgresFailure)
        -> Key?
    {
        let rows = try await transaction.query("\(selection(id, team)) FOR UPDATE OF k")
        return try rows.firstValue(Key.init)
    }

    /// Deletes all but the last revoked keys of an App ID, which its list shows.
    static func forgetOldest(of appID: ClientID, in team: TeamID, _ transaction: borrowing Transaction)
        async throws(PostgresFailure)
    {
        try await transaction.query(
            """
            DELETE FROM keys WHERE team_id = \(team) AND key_id IN (
                SELECT key_id FROM keys
                WHERE team_id = \(team) AND app_id = \(appID) AND slot IS NULL
                ORDER BY revoked_at DESC, key_id OFFSET \(Quota.revokedKeys.count) LIMIT 1000
            )
            """)
    }

    /// Locks the team and a primary App ID, because only primary App IDs have keys.
    static func lock(forKeysOf appID: ClientID, in team: TeamID, _ transaction: borrowing Transaction) async throws {
        try await transaction.lock(team)
        try await AppIDStore.holdPrimary(appID, in: team, transaction)
    }

    /// Inserts the key into the lowest free slot.
    ///
    /// - Returns: false when the team already has a key with this id.
    static func insert(_ key: KeyRow, in team: TeamID, _ transaction: borrowing Transaction) async throws -> Bool {
        let others: SQL = "keys WHERE team_id = \(team) AND app_id = \(key.appID)"
        let added = try await transaction.query(
            """
            INSERT INTO keys (team_id, key_id, name, app_id, slot, public_key_pem, fingerprint, private_key_sealed)
            SELECT \(team), \(key.id), \(key.name), \(key.appID), slot, \(key.publicKeyPEM), \(key.fingerprint),
                \(key.sealed)
            FROM \(Quota.activeKeys.freeSlot(beside: others))
            ON CONFLICT (team_id, key_id) DO NOTHING
            """)
        if added.changed == 1 { return true }
        let same = try await transaction.query("SELECT FROM keys WHERE team_id = \(team) AND key_id = \(key.id)")
        guard same.isEmpty else { return false }
        throw ValidationError.limitReached(.activeKeys, of: key.appID.rawValue)
    }

    /// Records the audit event of a new key.
    ///
    /// - Returns: the key as stored.
    static func report(
        _ action: String, _ key: KeyRow, in team: TeamID, by actor: Actor, from origin: Origin,
        _ transaction: borrowing Transaction
    ) async throws -> Key {
        let change = AuditedChange(action, "key", key.id.rawValue, to: key.auditedMembers)
        try await change.record(in: team, by: actor, from: origin, transaction)
        return try await transaction.query(selection(key.id, team)).only(Key.init)
    }

    /// Removes the encrypted private key from the row; a concurrent download that waited for the lock finds none.
    static func takePrivateHalf(of id: KeyID, in team: TeamID, _ transaction: borrowing Transaction)
        async throws(PostgresFailure) -> [UInt8]?
    {
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
            """)
        return try rows.firstValue { (row: inout Row) throws(PostgresFailure) in try row.next() }
    }
}
