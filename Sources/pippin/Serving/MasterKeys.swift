import Core
import Crypto
import OAuth
import Postgres

/// Checks the master keys against the database that was sealed with them, before anything is served or written.
///
/// With a wrong key, a server would look healthy, answer 500 to every team, and seal audit logs that could never be
/// verified.
enum MasterKeys {
    /// The key ring if its keys are exactly those of the database; nil if keys must still be created or noted.
    ///
    /// Changes nothing; the schema may be of another version, or missing.
    ///
    /// - Parameters:
    ///   - given: nil if no key was found.
    ///   - conninfo: connection string of the database's owner.
    /// - Throws: `CommandFailure` with the problem and its remedy.
    static func known(_ given: KeyRing?, _ settings: Settings, at conninfo: String) throws(CommandFailure) -> KeyRing? {
        try asking(conninfo) { store in
            guard let given else {
                try expectUnused(store, settings)
                return nil
            }
            return try unknown(given, store, settings).isEmpty ? given : nil
        }
    }

    /// Notes new keys in the database, creates the first key if there is none, and returns the key ring.
    ///
    /// The schema must be of this version.
    static func settle(_ given: KeyRing?, _ settings: Settings, at conninfo: String) throws(CommandFailure) -> KeyRing {
        try asking(conninfo) { store in
            try store.begin()
            // Another process may have created the file in the meantime.
            let ring = try given ?? MasterKeyFile.read(settings) ?? make(settings, store)
            for key in try unknown(ring, store, settings) { try store.add(key.id, proof: proof(of: key)) }
            try store.commit()
            return ring
        }
    }

    private static func asking<Result>(_ conninfo: String, _ body: (borrowing MasterKeyStore) throws -> Result)
        throws(CommandFailure) -> Result
    {
        do { return try body(MasterKeyStore(try AdminConnection(to: conninfo))) } catch let failure as CommandFailure {
            throw CommandFailure(failure.lines.map { "master_key: \($0)" }, isTransient: failure.isTransient)
        } catch AdminFailure.unreachable(let reason) {
            throw CommandFailure("the database cannot be reached: \(reason)", isTransient: true)
        } catch { throw CommandFailure("the master keys cannot be checked: \(describing: error)", isTransient: true) }
    }

    private static func make(_ settings: Settings, _ store: borrowing MasterKeyStore) throws -> KeyRing {
        try expectUnused(store, settings)
        return try MasterKeyFile.make(settings)
    }

    /// Throws if anything in the database is sealed, because a key may be created only before that.
    private static func expectUnused(_ store: borrowing MasterKeyStore, _ settings: Settings) throws {
        guard try store.proofs().isEmpty, try store.signingKeys().isEmpty else {
            throw CommandFailure(
                "\(MasterKeyFile.place(settings)) is missing, and this database was sealed with a master key: \(advice)"
            )
        }
    }

    /// Keys of the ring that the database has not noted.
    private static func unknown(_ ring: KeyRing, _ store: borrowing MasterKeyStore, _ settings: Settings) throws
        -> [MasterKey]
    {
        let proofs = try store.proofs()
        let place = MasterKeyFile.place(settings)
        try expect(proofs, in: ring, from: place)
        if proofs.isEmpty, try !opensAnything(ring, store) {
            throw CommandFailure("\(place) opens nothing that is sealed in this database: \(advice)")
        }
        return ring.keys.filter { key in !proofs.contains { $0.id == key.id } }
    }

    /// Throws unless the ring has all keys of a database.
    static func expect(_ proofs: [(id: String, proof: [UInt8])], in ring: KeyRing, from place: String)
        throws(CommandFailure)
    {
        let missing = proofs.map(\.id).filter { id in !ring.keys.contains { $0.id == id } }
        guard missing.isEmpty else {
            let names = missing.joined(separator: ", ")
            throw CommandFailure(
                "\(place) lacks the master key \(names), with which this database was sealed: \(advice)")
        }
        for key in ring.keys {
            guard let proof = proofs.first(where: { $0.id == key.id })?.proof, !isProved(key, by: proof) else {
                continue
            }
            throw CommandFailure(
                "\(place): \(key.id) is not the master key \(key.id) with which this database was sealed: \(advice)")
        }
    }

    /// Whether the ring opens a signing key of a database that was sealed before it noted its keys.
    private static func opensAnything(_ ring: KeyRing, _ store: borrowing MasterKeyStore) throws -> Bool {
        let keys = try store.signingKeys()
        return keys.isEmpty || keys.contains { SigningKeyStore.opens($0.sealed, of: $0.kid, in: $0.team, with: ring) }
    }

    private static let advice = "put the right key in its place; nothing was written"

    private static let purpose = "master-keys"

    /// A sealed value that only this key opens.
    private static func proof(of key: MasterKey) -> [UInt8] {
        KeyRing(current: key).seal([], purpose: purpose, context: [key.id])
    }

    private static func isProved(_ key: MasterKey, by proof: [UInt8]) -> Bool {
        KeyRing(current: key).open(proof, purpose: purpose, context: [key.id]) != nil
    }
}
