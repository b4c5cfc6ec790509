/// Reads the files `NNNN_subject.sql` of a folder.
enum MigrationFolder {
    /// The migrations by number; other kinds of files are ignored.
    static func read(_ path: String) throws(MigrationFailure) -> [Migration] {
        var migrations: [Migration] = []
        for name in try names(in: path) {
            guard let number = Migration.number(inName: name) else { throw .misnamed(name) }
            if let last = migrations.last, last.number == number { throw .sameNumber(last.name, name) }
            let statements = try text(of: path + "/" + name)
            migrations.append(Migration(number: number, name: name, statements: statements))
        }
        return migrations
    }

    private static func names(in path: String) throws(MigrationFailure) -> [String] {
        do throws(FileFailure) {
            return try Folder.names(in: path).filter { $0.hasSuffix(".sql") && !$0.hasPrefix(".") }.sorted()
        } catch { throw .unreadable(path: path, reason: error.reason) }
    }

    private static func text(of path: String) throws(MigrationFailure) -> String {
        let bytes: [UInt8]
        do throws(FileFailure) { bytes = try File.read(path) } catch {
            throw .unreadable(path: path, reason: error.reason)
        }
        guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
            throw .unreadable(path: path, reason: "it is not UTF-8 text")
        }
        return text
    }
}
