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

    /// Stores a new key that signs from `moment`.
    public static func insert(
        _ key: RSASigningKey, activeFrom moment: Timestamp, keyRing: KeyRing, _ change: borrowing Change
    ) async throws(PostgresFailure) {
        let kid = keyID(of: key)
        let sealed = keyRing.seal(Array(key.pem.utf8), purpose: purpose, context: context(change.team, kid))
        try await change.query(
            """
            INSERT INTO signing_keys (team_id, kid, private_key_sealed, active_from)
            VALUES (\(change.team), \(kid), \(sealed), \(moment))
            """)
    }

    /// The key's `kid`: the first ten characters of its thumbprint.
    static func keyID(of key: RSASigningKey) -> String {
        String(JWK(.rsa(key.publicKey), keyID: nil).thumbprint.prefix(10))
    }

    /// All keys of the team, newest last.
    func list(in team: TeamID) async throws -> [TeamSigningKey] {
        try keys(of: team, try await database.query(Self.selection(of: team), in: team))
    }

    static func selection(of team: TeamID) -> SQL {
        """
        SELECT kid, private_key_sealed, active_from, retires_at
        FROM signing_keys
        WHERE team_id = \(team)
        ORDER BY active_from, kid
        """
    }

    /// Reads the rows of `selection`; a key that cannot be decrypted is an error, and is not skipped.
    func keys(of team: TeamID, _ rows: Rows) throws -> [TeamSigningKey] {
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

extension TeamSnapshot {
    /// Signs a JWT of the claims with the key in use at `moment`.
    ///
    /// - Throws: `NoSigningKey` when the team has no key, `SigningFailure` when OpenSSL fails.
    public func sign(_ claims: [UInt8], at moment: Timestamp) throws -> String {
        guard let key = signingKey(at: moment) else { throw NoSigningKey(team: id) }
        return try key.signer.sign(claims)
    }

    /// The key in use at `moment`: the newest active one, or else the first to come, as of a node whose clock is ahead.
    func signingKey(at moment: Timestamp) -> TeamSigningKey? {
        signingKeys.last { $0.isActive(at: moment) } ?? signingKeys.first { $0.activeFrom > moment }
    }

    /// Checks, before a code or token is used up, that there is a key to sign what it gives.
    public func requireSigningKey(at moment: Timestamp) throws {
        if signingKey(at: moment) == nil { throw NoSigningKey(team: id) }
    }

    /// The published keys and those of `provider` as the key set of RFC 7517.
    ///
    /// The key in use comes first, because some clients read no other; RSA keys only, because some try every key.
    public func keySet(at moment: Timestamp, with provider: [JWK] = []) -> [UInt8] {
        let signing = signingKey(at: moment)
        let others = signingKeys.filter { $0 !== signing && $0.isPublished(at: moment) }
        let own = ([signing].compactMap(\.self) + others).map { JWK(.rsa($0.publicKey), keyID: $0.kid) }
        let further = provider.filter { key in
            guard case .rsa = key.key else { return false }
            return !own.contains { $0.keyID == key.keyID }
        }
        return JWKSet(own + further).json
    }
}

/// The error of a team without a signing key, which was created without the engine's part.
struct NoSigningKey: Error, Sendable { let team: TeamID }
