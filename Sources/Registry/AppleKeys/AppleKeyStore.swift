import Bytes
public import Crypto
public import Domain
public import Postgres

/// The keys that each team has from Apple.
///
/// Every change is one transaction with its audit event. They throw `Refusal` when a rule of the team stands against the
/// change, else `PostgresFailure`.
public struct AppleKeyStore: Sendable {
    private let database: TeamDatabase
    private let sealer: Sealer

    /// - Parameter keyRing: seals private halves.
    public init(_ database: TeamDatabase, keyRing: KeyRing) {
        self.database = database
        sealer = keyRing.sealer(purpose: "private half of a key from Apple")
    }

    public func find(_ id: KeyID, in team: TeamID) async throws(PostgresFailure) -> AppleKey? {
        try await database.query(Self.selection(id, team), in: team).firstValue(AppleKey.init)
    }

    /// All of them in the order of ids, of the whole team or of one App ID.
    public func list(
        of appID: ClientID? = nil,
        in team: TeamID
    ) async throws(PostgresFailure) -> [AppleKey] {
        let ofApp: SQL = if let appID { "AND k.app_id = \(appID)" } else { "" }
        let rows = try await database.query(
            """
            SELECT \(Self.columns) FROM apple_keys AS k WHERE k.team_id = \(team) \(ofApp) ORDER BY k.key_id
            """,
            in: team
        )
        return try rows.all(AppleKey.init)
    }

    /// The private half, to sign with; nil when the team has no such key, or the master key that sealed it is not here.
    public func signingKey(_ id: KeyID, in team: TeamID) async throws(PostgresFailure) -> P256SigningKey? {
        let rows = try await database.query(
            "SELECT private_key_sealed FROM apple_keys WHERE team_id = \(team) AND key_id = \(id)",
            in: team
        )
        guard var row = rows.first else { return nil }
        return open(try row.next(), as: id, in: team)
    }

    /// Those among the keys of the team's connections whose private halves the master keys here open.
    public func openable(in team: TeamID) async throws(PostgresFailure) -> Set<KeyID> {
        let rows = try await database.query(
            """
            SELECT k.key_id, k.private_key_sealed
            FROM apple_connections AS c JOIN apple_keys AS k ON k.team_id = c.team_id AND k.key_id = c.key_id
            WHERE c.team_id = \(team)
            """,
            in: team
        )
        var openable: Set<KeyID> = []
        for var row in rows {
            let id: KeyID = try row.next()
            let sealed: [UInt8] = try row.next()
            if sealer.open(sealed, context: Self.place(of: id, in: team)) != nil { openable.insert(id) }
        }
        return openable
    }

    /// Opens a private half that was read beside other things.
    public func open(_ sealed: [UInt8], as id: KeyID, in team: TeamID) -> P256SigningKey? {
        guard let octets = sealer.open(sealed, context: Self.place(of: id, in: team)),
            let pem = String(utf8: octets)
        else { return nil }
        return try? P256SigningKey(pem: pem)
    }

    /// What a sealed private half is bound to.
    private static func place(of id: KeyID, in team: TeamID) -> [String] {
        [team.rawValue, "apple_keys", id.rawValue, "private_key_sealed"]
    }
}

// As part of the caller's transaction.
extension AppleKeyStore {
    /// All of the team's, in the order of ids.
    public func list(
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) -> [AppleKey] {
        let rows = try await transaction.query(
            "SELECT \(Self.columns) FROM apple_keys AS k WHERE k.team_id = \(team) ORDER BY k.key_id"
        )
        return try rows.all(AppleKey.init)
    }

    /// Takes a key in, its private half sealed.
    public func create(
        _ new: AppleKey.Import,
        in team: TeamID,
        by actor: Actor,
        from origin: Origin,
        _ transaction: borrowing Transaction
    ) async throws -> AppleKey {
        let id = new.draft.id
        let sealed = sealer.seal(Array(new.key.pem.utf8), context: Self.place(of: id, in: team))
        try await AppIDStore.holdPrimary(new.appID, in: team, transaction)
        try await Self.insert(new, sealed, in: team, transaction)
        let key = try await transaction.query(Self.selection(id, team)).only(AppleKey.init)
        let change = AuditedChange("apple_key.imported", "apple_key", id.rawValue, to: key.auditedMembers)
        try await change.record(in: team, by: actor, from: origin, transaction)
        return key
    }

    /// Saves `draft` over the key of its id, if that still has this version.
    public func update(
        to draft: AppleKey.Draft,
        version: Int,
        in team: TeamID,
        by actor: Actor,
        from origin: Origin,
        _ transaction: borrowing Transaction
    ) async throws -> Update<AppleKey> {
        guard let current = try await Self.lock(draft.id, in: team, transaction) else { return .notFound }
        if version != current.version { return .conflict(current: current) }
        if draft == current.draft { return .saved(current) }
        let rows = try await transaction.query(
            """
            UPDATE apple_keys AS k
            SET name = \(draft.name), apple_team_id = \(draft.appleTeamID), version = k.version + 1
            WHERE k.team_id = \(team) AND k.key_id = \(draft.id)
            RETURNING \(Self.columns)
            """
        )
        let change = AuditedChange(
            "apple_key.updated",
            "apple_key",
            draft.id.rawValue,
            from: current.draft.auditedMembers,
            to: draft.auditedMembers
        )
        try await change.record(in: team, by: actor, from: origin, transaction)
        return .saved(try rows.only(AppleKey.init))
    }

    /// Forgets the key with its private half; nothing can be signed with it any more.
    ///
    /// - Returns: what was deleted, or nil when the team has no such key.
    public func delete(
        _ id: KeyID,
        reason: String,
        in team: TeamID,
        by actor: Actor,
        from origin: Origin,
        _ transaction: borrowing Transaction
    ) async throws -> AppleKey? {
        guard let current = try await Self.lock(id, in: team, transaction) else { return nil }
        try await AppleConnectionStore.requireUnused(id, in: team, transaction)
        try await transaction.query(
            "DELETE FROM apple_keys WHERE team_id = \(team) AND key_id = \(id)"
        )
        let change = AuditedChange(
            "apple_key.deleted",
            "apple_key",
            id.rawValue,
            from: current.auditedMembers,
            to: AuditedChange.reason(reason)
        )
        try await change.record(in: team, by: actor, from: origin, transaction)
        return current
    }
}

// The statements behind the changes.
extension AppleKeyStore {
    private static let columns: SQL = """
        k.key_id, k.apple_team_id, k.name, k.app_id, k.fingerprint, k.version, k.created_at
        """

    private static func selection(_ id: KeyID, _ team: TeamID) -> SQL {
        "SELECT \(columns) FROM apple_keys AS k WHERE k.team_id = \(team) AND k.key_id = \(id)"
    }

    private static func lock(
        _ id: KeyID,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) -> AppleKey? {
        try await transaction.query("\(selection(id, team)) FOR UPDATE").firstValue(AppleKey.init)
    }

    /// Inserts into the lowest free of the two slots, again when another transaction was faster to take it.
    private static func insert(
        _ new: AppleKey.Import,
        _ sealed: [UInt8],
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws {
        // Each further attempt means that someone else got a slot or lost one, so a handful is plenty.
        for _ in 0..<50 {
            let rows = try await transaction.query(insertion(of: new, sealed, in: team))
            var row = try rows.only { (row: inout Row) throws(PostgresFailure) in row }
            let isTaken: Bool = try row.next()
            if isTaken { throw Refusal.keyIDTaken(new.draft.id) }
            let isFull: Bool = try row.next()
            if isFull { throw Refusal.limitReached(.appleKeys, of: new.appID.rawValue) }
            let isInserted: Bool = try row.next()
            if isInserted { return }
        }
        throw PostgresFailure.overloaded
    }

    private static func insertion(of new: AppleKey.Import, _ sealed: [UInt8], in team: TeamID) -> SQL {
        """
        WITH free AS (
            SELECT min(candidate.slot) AS slot
            FROM generate_series(1, \(Limit.appleKeys.count)) AS candidate (slot)
            WHERE NOT EXISTS (
                SELECT FROM apple_keys AS taken
                WHERE taken.team_id = \(team) AND taken.app_id = \(new.appID) AND taken.slot = candidate.slot
            )
        ), inserted AS (
            INSERT INTO apple_keys (
                team_id, key_id, apple_team_id, name, app_id, slot, fingerprint, private_key_sealed
            )
            SELECT \(team), \(new.draft.id), \(new.draft.appleTeamID), \(new.draft.name), \(new.appID), free.slot,
                \(Key.fingerprint(of: new.key.publicKey)), \(sealed)
            FROM free
            WHERE free.slot IS NOT NULL
            ON CONFLICT DO NOTHING
            RETURNING slot
        )
        SELECT
            EXISTS (SELECT FROM apple_keys WHERE team_id = \(team) AND key_id = \(new.draft.id)),
            free.slot IS NULL,
            EXISTS (SELECT FROM inserted)
        FROM free
        """
    }
}

extension AppleKey {
    var auditedMembers: AuditedMembers {
        draft.auditedMembers.merging(
            ["appID": .string(appID.rawValue), "fingerprint": .string(fingerprint)]
        ) { $1 }
    }
}
