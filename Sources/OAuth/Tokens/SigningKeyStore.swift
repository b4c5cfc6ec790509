public import Core
public import Crypto
public import Platform
public import Postgres

/// Stores the signing keys of the teams, with encrypted private keys.
public struct SigningKeyStore: Sendable {
    let database: TeamDatabase
    let keyRing: KeyRing

    public init(database: TeamDatabase, keyRing: KeyRing) {
        self.database = database
        self.keyRing = keyRing
    }

    /// Stores a new key that signs from `moment`, in the caller's transaction.
    public static func insert(
        _ key: RSASigningKey, for team: TeamID, activeFrom moment: Timestamp, keyRing: KeyRing,
        in transaction: borrowing Transaction
    ) async throws(PostgresFailure) {
        let kid = keyID(of: key)
        let sealed = keyRing.seal(Array(key.pem.utf8), purpose: purpose, context: context(team, kid))
        try await transaction.query(
            """
            INSERT INTO signing_keys (team_id, kid, private_key_sealed, active_from)
            VALUES (\(team), \(kid), \(sealed), \(moment))
            """)
    }

    /// The key's `kid`: the first ten characters of its thumbprint.
    static func keyID(of key: RSASigningKey) -> String {
        String(JWK(.rsa(key.publicKey), keyID: nil).thumbprint.prefix(10))
    }

    /// All keys of the team, newest last.
    ///
    /// A key that cannot be decrypted is an error, and is not skipped.
    func list(in team: TeamID) async throws -> [TeamSigningKey] {
        let rows = try await database.query(
            """
            SELECT kid, private_key_sealed, active_from, retires_at
            FROM signing_keys
            WHERE team_id = \(team)
            ORDER BY active_from, kid
            """, in: team)
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
            kid: kid, privateKey: try RSASigningKey(pem: text), activeFrom: try row.next(), retiresAt: try row.next())
    }

    /// Whether `ring` decrypts the stored key `kid` of `team`.
    public static func opens(_ sealed: [UInt8], of kid: String, in team: TeamID, with ring: KeyRing) -> Bool {
        ring.open(sealed, purpose: purpose, context: context(team, kid)) != nil
    }

    private static let purpose = "signing-keys"

    private static func context(_ team: TeamID, _ kid: String) -> [String] {
        [team.rawValue, "signing_keys", kid, "private_key_sealed"]
    }
}

/// The failure to decrypt a stored key with the master key.
public struct SealedKeyFailure: Error, Sendable {
    public let team: TeamID
    public let kid: String
}
