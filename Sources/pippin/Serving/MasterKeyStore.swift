import Core
import Platform
import Postgres

/// Master keys that a database was sealed with, read and noted as its owner.
struct MasterKeyStore: ~Copyable {
    /// Number of signing keys to read, enough to recognize the right master key.
    private static let sample = 100

    private let connection: AdminConnection

    init(_ connection: consuming AdminConnection) { self.connection = connection }

    /// Begins a transaction; the table lock allows one at a time.
    func begin() throws(AdminFailure) {
        try connection.execute("BEGIN; LOCK TABLE master_keys IN SHARE ROW EXCLUSIVE MODE")
    }

    func commit() throws(AdminFailure) { try connection.execute("COMMIT") }

    /// The noted key IDs, each with its proof; empty if the schema has no such table.
    func proofs() throws(AdminFailure) -> [(id: String, proof: [UInt8])] {
        guard try has("master_keys") else { return [] }
        return try connection.execute("SELECT key_id, encode(proof, 'hex') FROM master_keys", []).compactMap { row in
            guard let id = row[0], let proof = row[1].flatMap(Hex.decode) else { return nil }
            return (id, proof)
        }
    }

    func add(_ id: String, proof: [UInt8]) throws(AdminFailure) {
        try connection.execute(
            "INSERT INTO master_keys (key_id, proof) VALUES ($1, decode($2, 'hex'))", [id, Hex.encode(proof)])
    }

    /// The newest sealed signing keys of all teams.
    func signingKeys() throws(AdminFailure) -> [(team: TeamID, kid: String, sealed: [UInt8])] {
        guard try has("signing_keys") else { return [] }
        try connection.execute("SET pippin.owner = 'on'")
        return try connection.execute(
            """
            SELECT team_id, kid, encode(private_key_sealed, 'hex') FROM signing_keys
            ORDER BY active_from DESC LIMIT \(Self.sample)
            """, []
        ).compactMap { row in
            guard let team = row[0].flatMap(TeamID.init(rawValue:)), let kid = row[1],
                let sealed = row[2].flatMap(Hex.decode)
            else { return nil }
            return (team, kid, sealed)
        }
    }

    private func has(_ table: String) throws(AdminFailure) -> Bool {
        try connection.execute("SELECT to_regclass($1) IS NOT NULL", [table]).first?.first == "t"
    }
}
