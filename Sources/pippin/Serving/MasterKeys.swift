import CLinux
import Core
import Crypto
import Glibc
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
            throw failure
        } catch AdminFailure.unreachable(let reason) {
            throw CommandFailure("the database cannot be reached: \(reason)", isTransient: true)
        } catch { throw CommandFailure("the master keys cannot be checked: \(error)", isTransient: true) }
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
        for (id, proof) in proofs {
            guard let key = ring.keys.first(where: { $0.id == id }) else {
                throw CommandFailure(
                    "\(place) lacks the master key \(id), with which this database was sealed: \(advice)")
            }
            guard isProved(key, by: proof) else {
                throw CommandFailure(
                    "\(place): \(id) is not the master key \(id) with which this database was sealed: \(advice)")
            }
        }
        if proofs.isEmpty, try !opensAnything(ring, store) {
            throw CommandFailure("\(place) opens nothing that is sealed in this database: \(advice)")
        }
        return ring.keys.filter { key in !proofs.contains { $0.id == key.id } }
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

/// Master keys of an installation: a file that only its owner may read, one key a line as `id hex`, current first.
///
/// Without `--master-key`, `PIPPIN_MASTER_KEY` may contain these lines instead.
enum MasterKeyFile {
    /// Reads the keys; nil if the installation's own file is missing.
    static func read(_ settings: Settings) throws(CommandFailure) -> KeyRing? {
        if let path = settings.masterKeyFile {
            guard let text = try secret(path) else {
                throw CommandFailure("--master-key \(path) cannot be read, or is no file of text")
            }
            return try parse(text, from: path)
        }
        if let text = Environment.value("PIPPIN_MASTER_KEY") { return try parse(text, from: "PIPPIN_MASTER_KEY") }
        let path = own(settings)
        return try secret(path).map { text throws(CommandFailure) in try parse(text, from: path) }
    }

    /// Source of the keys, for messages.
    static func place(_ settings: Settings) -> String {
        if let path = settings.masterKeyFile { return path }
        return Environment.value("PIPPIN_MASTER_KEY") == nil ? own(settings) : "PIPPIN_MASTER_KEY"
    }

    /// Path of the file with keys that Pippin creates.
    private static func own(_ settings: Settings) -> String { settings.dataDirectory + "/master-key" }

    /// Creates the installation's own file atomically, unless another process has created it in the meantime.
    ///
    /// The ID is random, so that keys of two installations, or a key and its replacement, are never confused.
    static func make(_ settings: Settings) throws(CommandFailure) -> KeyRing {
        let path = own(settings)
        let random = RandomSource.system
        let line = "\(Hex.encode(random.bytes(4))) \(Hex.encode(random.bytes(SymmetricKey.byteCount)))\n"
        // Random, because a process that died may have left its draft, and process IDs are reused.
        let draft = "\(path).\(Hex.encode(RandomSource.system.bytes(8)))"
        let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw CommandFailure("the master key \(path) cannot be made: \(SystemError.last)")
        }
        let bytes = Array(line.utf8)
        let written = unsafe bytes.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
        let isSafe = written == bytes.count && fsync(descriptor) == 0
        close(descriptor)
        defer { unsafe unlink(draft) }
        guard isSafe, unsafe link(draft, path) == 0 || errno == EEXIST, isKept(in: settings.dataDirectory),
            let text = try secret(path)
        else { throw CommandFailure("the master key \(path) cannot be made: \(SystemError.last)") }
        return try parse(text, from: path)
    }

    /// Syncs the directory to disk, so that a key noted in the database survives a loss of power.
    private static func isKept(in folder: String) -> Bool {
        let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return fsync(descriptor) == 0
    }

    /// Text of a file that no other user can access and that belongs to this user or to root; nil if there is none.
    private static func secret(_ path: String) throws(CommandFailure) -> String? {
        var problem: String?
        let text = TextFile.read(path) { status in
            if status.st_mode & 0o077 != 0 {
                problem = "\(path) holds the master key, and other users may read or change it: chmod 600 \(path)"
            } else if status.st_uid != geteuid(), status.st_uid != 0 {
                problem = "\(path) holds the master key and belongs to another user: chown \(geteuid()) \(path)"
            }
            return problem != nil
        }
        if let problem { throw CommandFailure(problem) }
        return text
    }

    private static func parse(_ text: String, from place: String) throws(CommandFailure) -> KeyRing {
        var keys: [MasterKey] = []
        for line in text.split(whereSeparator: \.isNewline) {
            let parts = line.split(separator: " ")
            guard parts.count == 2, let secret = Hex.decode(String(parts[1])),
                let key = try? MasterKey(id: String(parts[0]), secret: secret)
            else { throw CommandFailure("\(place) is not a master key: lines of an id and 64 hexadecimal digits") }
            guard !keys.contains(where: { $0.id == key.id }) else {
                throw CommandFailure("\(place): two lines have the id \(key.id); each key has its own")
            }
            keys.append(key)
        }
        guard let current = keys.first else { throw CommandFailure("\(place) holds no master key") }
        return KeyRing(current: current, older: Array(keys.dropFirst()))
    }
}
