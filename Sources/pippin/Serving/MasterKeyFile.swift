import Bytes
import Crypto
import Glibc

/// The master keys of an installation: a file only its owner may read, one key a line as `id hex`, the
/// current one first.
///
/// Without `--master-key`, `PIPPIN_MASTER_KEY` may hold the same lines in its place.
enum MasterKeyFile {
    /// Reads the keys; makes the file where it is missing and may be made.
    static func keyRing(_ settings: Settings) throws(CommandFailure) -> KeyRing {
        if let path = settings.masterKeyFile {
            guard let text = TextFile.read(path) else {
                throw CommandFailure("--master-key \(path) cannot be read: \(reason())")
            }
            return try parse(text, from: path)
        }
        if let text = Environment.value("PIPPIN_MASTER_KEY") {
            return try parse(text, from: "PIPPIN_MASTER_KEY")
        }
        return try own(settings.dataDirectory + "/master-key")
    }

    /// Made once by whichever process comes first: the file appears whole or not at all.
    private static func own(_ path: String) throws(CommandFailure) -> KeyRing {
        if let text = TextFile.read(path) { return try parse(text, from: path) }
        let line = "1 \(Hex.encode(RandomSource.system.bytes(SymmetricKey.byteCount)))\n"
        // A process that died left its draft, and its number comes again.
        let draft = "\(path).\(Hex.encode(RandomSource.system.bytes(8)))"
        let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw CommandFailure("the master key \(path) cannot be made: \(reason())")
        }
        let bytes = Array(line.utf8)
        let written = unsafe bytes.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
        let isSafe = written == bytes.count && fsync(descriptor) == 0
        close(descriptor)
        defer { unsafe unlink(draft) }
        guard isSafe, unsafe link(draft, path) == 0 || errno == EEXIST, let text = TextFile.read(path) else {
            throw CommandFailure("the master key \(path) cannot be made: \(reason())")
        }
        return try parse(text, from: path)
    }

    private static func parse(_ text: String, from place: String) throws(CommandFailure) -> KeyRing {
        var keys: [MasterKey] = []
        for line in text.split(whereSeparator: \.isNewline) {
            let parts = line.split(separator: " ")
            guard parts.count == 2, let secret = Hex.decode(String(parts[1])),
                let key = try? MasterKey(id: String(parts[0]), secret: secret)
            else {
                throw CommandFailure("\(place) is not a master key: lines of an id and 64 hexadecimal digits")
            }
            keys.append(key)
        }
        guard let current = keys.first else { throw CommandFailure("\(place) holds no master key") }
        return KeyRing(current: current, older: Array(keys.dropFirst()))
    }

    private static func reason() -> String {
        unsafe strerror(errno).map { unsafe String(cString: $0) } ?? "error \(errno)"
    }
}
