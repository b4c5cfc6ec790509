import Core
public import Crypto
public import Platform
public import Postgres

/// The keys of each team that sign client secrets.
///
/// Every change is one transaction with its audit event, or runs in the caller's; it throws `ValidationError` when it
/// breaks a registry rule, else `PostgresFailure`.
public struct KeyStore: Sendable {
    let database: TeamDatabase
    private let sealer: Sealer
    private let random: RandomSource

    /// - Parameter keyRing: the master keys that encrypt private keys until their download.
    public init(_ database: TeamDatabase, keyRing: KeyRing, random: RandomSource = .system) {
        self.database = database
        sealer = keyRing.sealer(purpose: "private half of an issued key")
        self.random = random
    }

    public func find(_ id: KeyID, in team: TeamID) async throws(PostgresFailure) -> Key? {
        try await database.query(Self.selection(id, team), in: team).firstValue(Key.init)
    }

    /// Generates a key pair and stores its private key, encrypted, until the only download.
    public func issue(_ issue: Key.Issue, in team: TeamID, by actor: Actor, from origin: Origin) async throws -> Key {
        let pair = P256SigningKey.generate()
        return try await database.change(in: team, by: actor, from: origin) { change in
            try await Self.lock(forKeysOf: issue.appID, change)
            while true {
                guard let id = KeyID(rawValue: random.text(TenCharacterID.length, from: .identifier)) else { continue }
                let sealed = sealer.seal(Array(pair.pem.utf8), context: Self.place(of: id, in: team))
                let key = Key.Registration(issue, id: id, publicKey: pair.publicKey)
                guard try await Self.insert(key, sealed: sealed, change) else { continue }
                return try await Self.report("key.issued", key, change)
            }
        }
    }

    /// Returns the private key, once, even for concurrent requests.
    public func download(_ id: KeyID, in team: TeamID, by actor: Actor, from origin: Origin) async throws -> KeyDownload
    {
        do {
            return try await database.change(in: team, by: actor, from: origin) { change in
                guard let sealed = try await Self.takePrivateHalf(of: id, change) else {
                    let key = try await change.query(Self.selection(id, team))
                    return key.isEmpty ? .notFound : .gone
                }
                // Throwing rolls back, so that the private key is kept until the right master key is available again.
                guard let bytes = sealer.open(sealed, context: Self.place(of: id, in: team)),
                    let pem = String(utf8: bytes)
                else { throw Unreadable() }
                try await change.record("key.downloaded", .key(id))
                return .file(name: "AuthKey_\(id).p8", pem: pem)
            }
        } catch is Unreadable { return .unreadable }
    }

    private struct Unreadable: Error {}

    /// The encryption context of a private key: team, table, row and column.
    private static func place(of id: KeyID, in team: TeamID) -> [String] {
        [team.rawValue, "keys", id.rawValue, "private_key_sealed"]
    }

    /// Registers the public key of a pair generated elsewhere.
    public func register(_ registration: Key.Registration, _ change: borrowing Change) async throws -> Key {
        try await Self.lock(forKeysOf: registration.appID, change)
        guard try await Self.insert(registration, sealed: nil, change) else {
            throw ValidationError.keyIDTaken(registration.id)
        }
        return try await Self.report("key.registered", registration, change)
    }

    /// Renames the key.
    ///
    /// - Returns: the renamed key, or nil when the team has no such key.
    public func rename(_ id: KeyID, to name: String, _ change: borrowing Change) async throws -> Key? {
        guard let current = try await Self.lock(id, change) else { return nil }
        try await change.query(
            """
            UPDATE keys SET name = \(name) WHERE team_id = \(change.team) AND key_id = \(id)
            """)
        try await change.record(
            "key.updated", .key(id), from: ["name": .string(current.name)], to: ["name": .string(name)])
        return try await change.query(Self.selection(id, change.team)).firstValue(Key.init)
    }

    /// Revokes the key, which frees its rank and deletes a private key that was not downloaded.
    ///
    /// - Returns: the revoked key, even when it was revoked before, or nil when the team has no such key.
    public func revoke(_ id: KeyID, reason: String, _ change: borrowing Change) async throws -> Key? {
        guard let current = try await Self.lock(id, change) else { return nil }
        guard current.isActive else { return current }
        try await change.query(
            """
            UPDATE keys SET rank = NULL, revoked_at = now(), private_key_sealed = NULL
            WHERE team_id = \(change.team) AND key_id = \(id)
            """)
        try await Self.forgetOldest(of: current.appID, change)
        try await change.record("key.revoked", .key(id), to: .reason(reason))
        return try await change.query(Self.selection(id, change.team)).firstValue(Key.init)
    }

    /// One page of the team's keys or of one App ID's, newest first, including revoked keys.
    public func list(_ query: PageQuery = PageQuery(), of appID: ClientID? = nil, in team: TeamID)
        async throws(PostgresFailure) -> Page<Key>
    {
        let matching = try await query.condition(
            on: "k.key_id", among: "SELECT key_id, name FROM keys WHERE team_id = \(team)", in: team, database)
        let rows = try await database.query(Self.listing(query, matching, appID, team), in: team)
        return try Page(rows, limit: query.limit, read: Key.init) { ListCursor($0.createdAt, $0.id.rawValue) }
    }

    /// The App IDs with as many active keys as they may have.
    public func fullAppIDs(in team: TeamID) async throws(PostgresFailure) -> [ClientID] {
        let rows = try await database.query(
            """
            SELECT app_id FROM keys WHERE team_id = \(team) AND rank IS NOT NULL
            GROUP BY app_id HAVING count(*) >= \(Quota.activeKeys.count)
            """, in: team)
        return try rows.column()
    }

    /// The active keys of one App ID, newest first; at most `Quota.activeKeys`.
    public func active(of appID: ClientID, in team: TeamID) async throws(PostgresFailure) -> [Key] {
        let rows = try await database.query(
            """
            SELECT \(Self.columns) FROM \(Self.tables)
            WHERE k.team_id = \(team) AND k.app_id = \(appID) AND k.rank IS NOT NULL
            ORDER BY k.created_at DESC, k.key_id DESC
            """, in: team)
        return try rows.all(Key.init)
    }

    /// Every key of the team, including revoked ones, newest first as in the list.
    ///
    /// Ids are random; they only order keys created at the same time.
    public func all(in team: TeamID, _ transaction: borrowing Transaction) async throws(PostgresFailure) -> [Key] {
        let rows = try await transaction.query(
            """
            SELECT \(Self.columns) FROM \(Self.tables) WHERE k.team_id = \(team)
            ORDER BY k.created_at DESC, k.key_id DESC
            """)
        return try rows.all(Key.init)
    }

    /// Without a search text, an index provides both the page in its order and the total.
    static func listing(_ query: PageQuery, _ matching: SQL, _ appID: ClientID?, _ team: TeamID) -> SQL {
        let ofApp: SQL = if let appID { "AND k.app_id = \(appID)" } else { "" }
        let matching: SQL = "k.team_id = \(team) \(ofApp) AND \(matching)"
        let after: SQL =
            if let after = query.after { "AND (k.created_at, k.key_id) < (\(after.at), \(after.id))" } else { "" }
        return """
            SELECT total.count, page.key_id IS NOT NULL, page.*
            FROM (SELECT count(*) FROM keys AS k WHERE \(matching)) AS total
            LEFT JOIN (
                SELECT \(columns) FROM \(tables)
                WHERE \(matching) \(after)
                ORDER BY k.created_at DESC, k.key_id DESC
                LIMIT \(query.limit + 1)
            ) AS page ON true
            ORDER BY page.created_at DESC, page.key_id DESC
            """
    }

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
    static func lock(_ id: KeyID, _ change: borrowing Change) async throws(PostgresFailure) -> Key? {
        try await change.query("\(selection(id, change.team)) FOR UPDATE OF k").firstValue(Key.init)
    }

    /// Deletes all but the last revoked keys of an App ID, which its list shows.
    static func forgetOldest(of appID: ClientID, _ change: borrowing Change) async throws(PostgresFailure) {
        try await change.query(
            """
            DELETE FROM keys WHERE team_id = \(change.team) AND key_id IN (
                SELECT key_id FROM keys
                WHERE team_id = \(change.team) AND app_id = \(appID) AND rank IS NULL
                ORDER BY revoked_at DESC, key_id OFFSET \(Quota.revokedKeys.count) LIMIT 1000
            )
            """)
    }

    /// Locks the team and a primary App ID, because only primary App IDs have keys.
    static func lock(forKeysOf appID: ClientID, _ change: borrowing Change) async throws {
        try await change.lockTeam()
        try await AppIDStore.holdPrimary(appID, change)
    }

    /// Inserts the key into the lowest free rank.
    ///
    /// - Parameter sealed: its private key, encrypted; nil for a pair generated elsewhere.
    /// - Returns: false when the team already has a key with this id.
    private static func insert(_ key: Key.Registration, sealed: [UInt8]?, _ change: borrowing Change) async throws
        -> Bool
    {
        let others: SQL = "keys WHERE team_id = \(change.team) AND app_id = \(key.appID)"
        let added = try await change.query(
            """
            INSERT INTO keys (team_id, key_id, name, app_id, rank, public_key_pem, fingerprint, private_key_sealed)
            SELECT \(change.team), \(key.id), \(key.name), \(key.appID), rank, \(key.publicKeyPEM), \(key.fingerprint),
                \(sealed)
            FROM \(Quota.activeKeys.freeRank(beside: others))
            ON CONFLICT (team_id, key_id) DO NOTHING
            """)
        if added.changed == 1 { return true }
        let same = try await change.query("SELECT FROM keys WHERE team_id = \(change.team) AND key_id = \(key.id)")
        guard same.isEmpty else { return false }
        throw ValidationError.limitReached(.activeKeys, of: key.appID.rawValue)
    }

    /// Records the audit event of a new key.
    ///
    /// - Returns: the key as stored.
    static func report(_ action: String, _ key: Key.Registration, _ change: borrowing Change) async throws -> Key {
        try await change.record(action, .key(key.id), to: key.auditedMembers)
        return try await change.query(selection(key.id, change.team)).only(Key.init)
    }

    /// Removes the encrypted private key from the row; a concurrent download that waited for the lock finds none.
    static func takePrivateHalf(of id: KeyID, _ change: borrowing Change) async throws(PostgresFailure) -> [UInt8]? {
        let rows = try await change.query(
            """
            WITH held AS (
                SELECT private_key_sealed AS sealed FROM keys
                WHERE team_id = \(change.team) AND key_id = \(id) AND private_key_sealed IS NOT NULL
                FOR UPDATE
            )
            UPDATE keys SET private_key_sealed = NULL, downloaded_at = now()
            FROM held
            WHERE team_id = \(change.team) AND key_id = \(id)
            RETURNING held.sealed
            """)
        return try rows.firstValue()
    }
}
