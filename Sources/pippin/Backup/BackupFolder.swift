import Core
import Glibc
import Postgres

/// The folder of a backup: a dump, its manifest, and the checksums of both, as `sha256sum` writes them.
struct BackupFolder: Sendable {
    let path: String
    var dump: String { path + "/dump" }
    private var manifest: String { path + "/manifest.json" }

    private static let sums = "find . -type f ! -name SHA256SUMS -exec sha256sum {} + | sort -k 2"

    /// - Parameter path: as somebody typed it.
    init(_ path: String) {
        let end = path.lastIndex { $0 != "/" }.map(path.index(after:)) ?? path.startIndex
        // A leading hyphen would make it an option of the programs.
        self.path = (path.hasPrefix("-") ? "./" : "") + path[..<end]
    }

    /// Lends `body` the folder under the name `FOLDER.partial`, which gets its own name afterwards or is deleted.
    ///
    /// What a backup that was killed has left there is deleted first.
    func make(_ body: (BackupFolder) throws(CommandFailure) -> BackupManifest) throws(CommandFailure) -> BackupManifest
    {
        guard unsafe access(path, F_OK) != 0 else {
            throw CommandFailure("\(path) exists already: choose another name")
        }
        let partial = BackupFolder(path + ".partial")
        let lock: FileLock
        do { lock = try FileLock(folder: partial.path) } catch { throw CommandFailure(error.description) }
        guard lock.take() else { throw CommandFailure("another backup to \(path) is under way") }
        defer { lock.release() }
        Folder.remove([partial.dump, partial.manifest, partial.path + "/SHA256SUMS"])
        do throws(CommandFailure) {
            let result = try body(partial)
            try partial.seal(result)
            guard unsafe rename(partial.path, path) == 0 else { throw CommandFailure("\(path): \(SystemError.last)") }
            try run("sync ..")
            return result
        } catch {
            Folder.remove([partial.path])
            throw error
        }
    }

    /// Completes the folder of a dump, readable for this user alone, and syncs it.
    func seal(_ manifest: BackupManifest) throws(CommandFailure) {
        let text = String(decoding: JSON.encode(manifest, pretty: true), as: UTF8.self) + "\n"
        do { try File.write(text, to: self.manifest) } catch {
            throw CommandFailure("\(self.manifest): \(describing: error)")
        }
        try run("umask 077; chmod 600 dump/* && \(Self.sums) > SHA256SUMS && sync manifest.json SHA256SUMS .")
    }

    /// The manifest, after each file was held against its checksum.
    func verify() throws(CommandFailure) -> BackupManifest {
        struct Format: Decodable { let format: Int }
        guard let text = try? File.read(manifest) else {
            throw CommandFailure("\(path) is no backup: no manifest.json")
        }
        let found = try run(
            "\(Self.sums) | diff --text SHA256SUMS - | grep -a '^[<>]' | head -n 1 | sed 's/^..[^.]*[.].//'")
        guard found.isEmpty, let format = try? JSON.decode(Format.self, from: text).format else {
            let name = found.split(separator: "\n").first ?? "manifest.json"
            throw CommandFailure("\(path) is damaged: \(name) was changed, is missing or does not belong to it")
        }
        guard format <= BackupManifest.format else {
            throw CommandFailure("\(path) has format \(format), which a newer version of Pippin wrote: use that one")
        }
        do { return try JSON.decode(BackupManifest.self, from: text) } catch {
            throw CommandFailure("\(path) is damaged: manifest.json cannot be read")
        }
    }

    /// Octets of the dump.
    func size() throws(CommandFailure) -> Int {
        Int(try run("du --bytes --summarize dump").prefix { $0.isNumber }) ?? 0
    }

    @discardableResult private func run(_ script: String) throws(CommandFailure) -> String {
        do {
            let outcome = try Subprocess.run(["/bin/sh", "-c", "cd -- \"$0\" && { \(script); }", path], tick: {})
            guard outcome.code == 0 else { throw CommandFailure("\(path): \(outcome.reason)") }
            return outcome.output
        } catch { throw CommandFailure(path, error) }
    }
}
