import CLinux
import Core
import Crypto
import Glibc
import OAuth
import Postgres

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
