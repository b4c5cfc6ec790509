import Core
public import Crypto
public import Platform
public import Postgres

/// The keys of each team that sign client secrets.
///
/// Every change is one transaction with its audit event; variants with a `transaction` parameter run in the caller's
/// transaction. They throw `ValidationError` when the change breaks a registry rule, else `PostgresFailure`.
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
        return try await database.transaction(in: team) { transaction in
            try await Self.lock(forKeysOf: issue.appID, in: team, transaction)
            while true {
                guard let id = KeyID(rawValue: random.text(TenCharacterID.length, from: .identifier)) else { continue }
                let sealed = sealer.seal(Array(pair.pem.utf8), context: Self.place(of: id, in: team))
                let row = KeyRow(issue, id: id, publicKey: pair.publicKey, sealed: sealed)
                guard try await Self.insert(row, in: team, transaction) else { continue }
                return try await Self.report("key.issued", row, in: team, by: actor, from: origin, transaction)
            }
        }
    }

    /// Returns the private key, once, even for concurrent requests.
    public func download(_ id: KeyID, in team: TeamID, by actor: Actor, from origin: Origin) async throws -> KeyDownload
    {
        do {
            return try await database.transaction(in: team) { transaction in
                guard let sealed = try await Self.takePrivateHalf(of: id, in: team, transaction) else {
                    let key = try await transaction.query(Self.selection(id, team))
                    return key.isEmpty ? .notFound : .gone
                }
                // Throwing rolls back, so that the private key is kept until the right master key is available again.
                guard let bytes = sealer.open(sealed, context: Self.place(of: id, in: team)),
                    let pem = String(utf8: bytes)
                else { throw Unreadable() }
                let change = AuditedChange("key.downloaded", "key", id.rawValue)
                try await change.record(in: team, by: actor, from: origin, transaction)
                return .file(name: "AuthKey_\(id).p8", pem: pem)
            }
        } catch is Unreadable { return .unreadable }
    }

    /// Revokes the key, which frees its slot and deletes a private key that was not downloaded.
    ///
    /// - Returns: the revoked key, even when it was revoked before, or nil when the team has no such key.
    public func revoke(_ id: KeyID, reason: String, in team: TeamID, by actor: Actor, from origin: Origin) async throws
        -> Key?
    {
        try await database.transaction(in: team) { transaction in
            try await revoke(id, reason: reason, in: team, by: actor, from: origin, transaction)
        }
    }

    private struct Unreadable: Error {}

    /// The encryption context of a private key: team, table, row and column.
    private static func place(of id: KeyID, in team: TeamID) -> [String] {
        [team.rawValue, "keys", id.rawValue, "private_key_sealed"]
    }
}

// Operations in the caller's transaction.
extension KeyStore {
    /// Registers the public key of a pair generated elsewhere.
    public func register(
        _ registration: Key.Registration, in team: TeamID, by actor: Actor, from origin: Origin,
        _ transaction: borrowing Transaction
    ) async throws -> Key {
        try await Self.lock(forKeysOf: registration.appID, in: team, transaction)
        let row = KeyRow(registration)
        guard try await Self.insert(row, in: team, transaction) else {
            throw ValidationError.keyIDTaken(registration.id)
        }
        return try await Self.report("key.registered", row, in: team, by: actor, from: origin, transaction)
    }

    /// Renames the key.
    ///
    /// - Returns: the renamed key, or nil when the team has no such key.
    public func rename(
        _ id: KeyID, to name: String, in team: TeamID, by actor: Actor, from origin: Origin,
        _ transaction: borrowing Transaction
    ) async throws -> Key? {
        guard let current = try await Self.lock(id, in: team, transaction) else { return nil }
        try await transaction.query(
            """
            UPDATE keys SET name = \(name) WHERE team_id = \(team) AND key_id = \(id)
            """)
        let change = AuditedChange(
            "key.updated", "key", id.rawValue, from: ["name": .string(current.name)], to: ["name": .string(name)])
        try await change.record(in: team, by: actor, from: origin, transaction)
        return try await transaction.query(Self.selection(id, team)).firstValue(Key.init)
    }

    public func revoke(
        _ id: KeyID, reason: String, in team: TeamID, by actor: Actor, from origin: Origin,
        _ transaction: borrowing Transaction
    ) async throws -> Key? {
        guard let current = try await Self.lock(id, in: team, transaction) else { return nil }
        guard current.isActive else { return current }
        try await transaction.query(
            """
            UPDATE keys SET slot = NULL, revoked_at = now(), private_key_sealed = NULL
            WHERE team_id = \(team) AND key_id = \(id)
            """)
        try await Self.forgetOldest(of: current.appID, in: team, transaction)
        let change = AuditedChange("key.revoked", "key", id.rawValue, to: AuditedChange.reason(reason))
        try await change.record(in: team, by: actor, from: origin, transaction)
        return try await transaction.query(Self.selection(id, team)).firstValue(Key.init)
    }
}
