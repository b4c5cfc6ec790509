import Core
public import Crypto
public import Platform
public import Postgres

/// The Apple keys of each team.
///
/// Every change is one transaction with its audit event; it throws `ValidationError` when it breaks a registry rule,
/// else `PostgresFailure`.
public struct AppleKeyStore: Sendable {
    private let database: TeamDatabase
    private let sealer: Sealer

    /// - Parameter keyRing: the master keys that encrypt private keys.
    public init(_ database: TeamDatabase, keyRing: KeyRing) {
        self.database = database
        sealer = keyRing.sealer(purpose: "private half of a key from Apple")
    }

    public func find(_ id: KeyID, in team: TeamID) async throws(PostgresFailure) -> AppleKey? {
        try await database.query(Self.selection(id, team), in: team).firstValue(AppleKey.init)
    }

    /// The Apple keys of a team or of one App ID, in the order of ids.
    public func list(of appID: ClientID? = nil, in team: TeamID) async throws(PostgresFailure) -> [AppleKey] {
        try await database.query(Self.listing(of: appID, in: team), in: team).all(AppleKey.init)
    }

    /// The private key; nil when the team has no such key, or the master key that encrypted it is missing.
    public func signingKey(_ id: KeyID, in team: TeamID) async throws(PostgresFailure) -> P256SigningKey? {
        let rows = try await database.query(
            "SELECT private_key_sealed FROM apple_keys WHERE team_id = \(team) AND key_id = \(id)", in: team)
        guard var row = rows.first else { return nil }
        return open(try row.next(), as: id, in: team)
    }

    /// Keys used by the team's connections whose private keys the present master keys decrypt.
    public func openable(in team: TeamID) async throws(PostgresFailure) -> Set<KeyID> {
        let rows = try await database.query(
            """
            SELECT k.key_id, k.private_key_sealed
            FROM apple_connections AS c JOIN apple_keys AS k ON k.team_id = c.team_id AND k.key_id = c.key_id
            WHERE c.team_id = \(team)
            """, in: team)
        var openable: Set<KeyID> = []
        for var row in rows {
            let id: KeyID = try row.next()
            let sealed: [UInt8] = try row.next()
            if sealer.open(sealed, context: Self.place(of: id, in: team)) != nil { openable.insert(id) }
        }
        return openable
    }

    /// Selects the connections of a team, each with its key.
    public static func connected(in team: TeamID) -> SQL {
        """
        SELECT c.app_id, c.services_id, k.apple_team_id, c.key_id, c.transferred_on::text, k.private_key_sealed
        FROM apple_connections c JOIN apple_keys k ON k.team_id = c.team_id AND k.key_id = c.key_id
        WHERE c.team_id = \(team)
        """
    }

    /// Decrypts a private key that the caller read from its row.
    public func open(_ sealed: [UInt8], as id: KeyID, in team: TeamID) -> P256SigningKey? {
        guard let octets = sealer.open(sealed, context: Self.place(of: id, in: team)), let pem = String(utf8: octets)
        else { return nil }
        return try? P256SigningKey(pem: pem)
    }

    /// The encryption context of a private key: team, table, row and column.
    private static func place(of id: KeyID, in team: TeamID) -> [String] {
        [team.rawValue, "apple_keys", id.rawValue, "private_key_sealed"]
    }

    /// All Apple keys of the team, in the order of ids.
    public func list(in team: TeamID, _ transaction: borrowing Transaction) async throws(PostgresFailure) -> [AppleKey]
    { try await transaction.query(Self.listing(of: nil, in: team)).all(AppleKey.init) }

    /// Imports a key, and encrypts its private key.
    public func create(_ new: AppleKey.Import, _ change: borrowing Change) async throws -> AppleKey {
        let id = new.id
        let sealed = sealer.seal(Array(new.key.pem.utf8), context: Self.place(of: id, in: change.team))
        try await change.lockTeam()
        try await AppIDStore.holdPrimary(new.appID, change)
        let others: SQL = "apple_keys WHERE team_id = \(change.team) AND app_id = \(new.appID)"
        let added = try await change.query(
            """
            INSERT INTO apple_keys (
                team_id, key_id, apple_team_id, name, app_id, rank, fingerprint, private_key_sealed
            )
            SELECT \(change.team), \(id), \(new.settings.appleTeamID), \(new.settings.name), \(new.appID), rank,
                \(Key.fingerprint(of: new.key.publicKey)), \(sealed)
            FROM \(Quota.appleKeys.freeRank(beside: others))
            ON CONFLICT (team_id, key_id) DO NOTHING
            """)
        let stored = try await change.query(Self.selection(id, change.team)).firstValue(AppleKey.init)
        guard let key = stored else { throw ValidationError.limitReached(.appleKeys, of: new.appID.rawValue) }
        guard added.changed == 1 else { throw ValidationError.keyIDTaken(id) }
        try await change.record("apple_key.imported", .appleKey(id), to: key.auditedMembers)
        return key
    }

    /// Replaces the settings of the key, if its version is still `version`.
    public func update(_ id: KeyID, to settings: AppleKey.Settings, version: Int, _ change: borrowing Change)
        async throws -> Update<AppleKey>
    {
        guard let current = try await Self.lock(id, change) else { return .notFound }
        if version != current.version { return .conflict(current: current) }
        if settings == current.settings { return .saved(current) }
        let rows = try await change.query(
            """
            UPDATE apple_keys AS k
            SET name = \(settings.name), apple_team_id = \(settings.appleTeamID), version = k.version + 1
            WHERE k.team_id = \(change.team) AND k.key_id = \(id)
            RETURNING \(Self.columns)
            """)
        try await change.record("apple_key.updated", .appleKey(id), from: current.settings.typed, to: settings.typed)
        return .saved(try rows.only(AppleKey.init))
    }

    /// Deletes the key with its private key; it can sign nothing afterwards.
    ///
    /// - Returns: the deleted key, or nil when the team has no such key.
    public func delete(_ id: KeyID, reason: String, _ change: borrowing Change) async throws -> AppleKey? {
        guard let current = try await Self.lock(id, change) else { return nil }
        try await AppleConnectionStore.requireUnused(id, change)
        try await change.query("DELETE FROM apple_keys WHERE team_id = \(change.team) AND key_id = \(id)")
        try await change.record("apple_key.deleted", .appleKey(id), from: current.auditedMembers, to: .reason(reason))
        return current
    }

    private static let columns: SQL = """
        k.key_id, k.apple_team_id, k.name, k.app_id, k.fingerprint, k.version, k.created_at
        """

    private static func listing(of appID: ClientID?, in team: TeamID) -> SQL {
        let ofApp: SQL = if let appID { "AND k.app_id = \(appID)" } else { "" }
        return "SELECT \(columns) FROM apple_keys AS k WHERE k.team_id = \(team) \(ofApp) ORDER BY k.key_id"
    }

    private static func selection(_ id: KeyID, _ team: TeamID) -> SQL {
        "SELECT \(columns) FROM apple_keys AS k WHERE k.team_id = \(team) AND k.key_id = \(id)"
    }

    private static func lock(_ id: KeyID, _ change: borrowing Change) async throws(PostgresFailure) -> AppleKey? {
        try await change.query("\(selection(id, change.team)) FOR UPDATE").firstValue(AppleKey.init)
    }
}

extension AppleKey {
    var auditedMembers: AuditedMembers {
        settings.typed.merging(["appID": .string(appID.rawValue), "fingerprint": .string(fingerprint)]) { $1 }
    }
}

// Messages for a text that is not a .p8 file from Apple.
extension KeyFailure {
    var message: Message {
        switch self {
        case .notPEM: Message("console.refusals.p8.not-pem")
        case .incomplete: Message("console.refusals.p8.incomplete")
        case .severalBlocks: Message("console.refusals.p8.several")
        case .tooLarge: Message("console.refusals.p8.too-large")
        case .encrypted: Message("console.refusals.p8.encrypted")
        case .publicKey: Message("console.refusals.p8.public")
        case .privateKey: Message("console.refusals.p8.private")
        case .unsupportedLabel("EC PRIVATE KEY"): Message("console.refusals.p8.converted")
        case .unsupportedLabel(let label): Message("console.refusals.p8.label", ["label": label])
        case .unsupportedAlgorithm(let name): Message("console.refusals.p8.algorithm", ["algorithm": name])
        case .unsupportedCurve(""): Message("console.refusals.p8.curve-unnamed")
        case .unsupportedCurve(let name): Message("console.refusals.p8.curve", ["curve": name])
        case .unsupportedSize(let bits): Message("console.refusals.p8.size", ["bits": bits])
        case .malformed: Message("console.refusals.p8.malformed")
        }
    }
}
