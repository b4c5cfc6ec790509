public import Bytes
public import Crypto
public import Domain
public import Postgres

/// Keeps the signing keys of the teams, private halves sealed.
public struct SigningKeyStore: Sendable {
    let database: TeamDatabase
    let keyRing: KeyRing

    public init(database: TeamDatabase, keyRing: KeyRing) {
        self.database = database
        self.keyRing = keyRing
    }

    /// Stores a new key that signs from `moment` on, in the caller's transaction.
    public static func insert(
        _ key: RSASigningKey,
        for team: TeamID,
        activeFrom moment: Timestamp,
        keyRing: KeyRing,
        in transaction: borrowing Transaction
    ) async throws(PostgresFailure) {
        let kid = keyID(of: key)
        let sealed = keyRing.seal(Array(key.pem.utf8), purpose: purpose, context: context(team, kid))
        try await transaction.query(
            """
            INSERT INTO signing_keys (team_id, kid, private_key_sealed, active_from)
            VALUES (\(team), \(kid), \(sealed), \(moment))
            """
        )
    }

    /// What a key is called: the beginning of its thumbprint.
    static func keyID(of key: RSASigningKey) -> String {
        String(JWK(.rsa(key.publicKey), keyID: nil).thumbprint.prefix(10))
    }

    /// All keys of the team, the newest last.
    ///
    /// One whose seal does not open is a fault worth a stop, not a skip.
    func list(in team: TeamID) async throws -> [TeamSigningKey] {
        let rows = try await database.query(
            """
            SELECT kid, private_key_sealed, active_from, retires_at
            FROM signing_keys
            WHERE team_id = \(team)
            ORDER BY active_from, kid
            """,
            in: team
        )
        var keys: [TeamSigningKey] = []
        for var row in rows { keys.append(try key(of: team, &row)) }
        return keys
    }

    private func key(of team: TeamID, _ row: inout Row) throws -> TeamSigningKey {
        let kid: String = try row.next()
        let sealed: [UInt8] = try row.next()
        guard let pem = keyRing.open(sealed, purpose: Self.purpose, context: Self.context(team, kid)),
            let text = String(utf8: pem)
        else { throw SealedKeyFailure(team: team, kid: kid) }
        return TeamSigningKey(
            kid: kid,
            privateKey: try RSASigningKey(pem: text),
            activeFrom: try row.next(),
            retiresAt: try row.next()
        )
    }

    /// Whether `ring` opens the key `kid` of `team` as it is stored.
    public static func opens(_ sealed: [UInt8], of kid: String, in team: TeamID, with ring: KeyRing) -> Bool {
        ring.open(sealed, purpose: purpose, context: context(team, kid)) != nil
    }

    private static let purpose = "signing-keys"

    private static func context(_ team: TeamID, _ kid: String) -> [String] {
        [team.rawValue, "signing_keys", kid, "private_key_sealed"]
    }
}

/// A stored key that the master key does not open.
public struct SealedKeyFailure: Error, Sendable {
    public let team: TeamID
    public let kid: String
}
