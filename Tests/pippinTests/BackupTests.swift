import Core
import EventLoop
import HTTP
import Platform
import Postgres
import TestDatabase
import TestSupport
import Testing

@testable import pippin

/// What a backup holds, and that a restore brings all of it back or changes nothing.
@Suite struct BackupTests {
    @Test(arguments: [false, true])
    func `all rows of all teams come back, in a database of another owner and in a private cluster`(isPrivate: Bool)
        async throws
    {
        let source = try await BackupSource.shared()
        let target = try BackupTarget(isPrivate: isPrivate, key: source.key)

        try await blocking {
            #expect(try target.restore(source.backup, endsTokens: isPrivate) == .success)

            let before = try source.digests()
            #expect(before["users"]?.hasPrefix("4 ") == true && before["refresh_tokens"]?.hasPrefix("3 ") == true)
            try target.look { looker in
                for (table, digest) in try looker.digests() { #expect(digest == before[table], "\(table)") }
                #expect(try looker.admin("SELECT pippin_shape_faults()").isEmpty)
                #expect(try looker.admin("SELECT count(*) FROM audit_seals")[0][0] != "0")
                let cuts = try looker.admin("SELECT count(*) FROM not_befores WHERE client_id = '*'")
                #expect(cuts == [[isPrivate ? "2" : "0"]])
                if isPrivate { #expect(try looker.admin("SHOW data_checksums") == [["on"]]) }
                let right = "SELECT has_column_privilege('backup_reader', 'users', 'email', 'SELECT')::text"
                #expect(try looker.admin(right) == [["true"]])
            }
            let again = #expect(throws: CommandFailure.self) { try target.restore(source.backup) }
            #expect(again?.lines.first?.contains(isPrivate ? "has a database already" : "is not empty") == true)
        }
    }

    @Test func `V90: a copy has no sessions and no jobs, and nothing leaves it until it is told that it is none`()
        async throws
    {
        let source = try await BackupSource.shared()
        let target = try BackupTarget(isPrivate: false, key: source.key, url: "https://copy.example")

        try await blocking {
            #expect(try target.restore(source.backup, isCopy: true) == .success)
            try target.look { looker in
                let left = try looker.admin(
                    """
                    SELECT (SELECT count(*) FROM sessions), (SELECT count(*) FROM refresh_tokens),
                        (SELECT count(*) FROM jobs WHERE every_seconds IS NULL AND state = 'pending'),
                        (SELECT count(*) FROM notifications WHERE state = 'pending'),
                        (SELECT max(runs_with) FROM pippin_migrations)
                    """)
                // The last: a release that does not know the mark does not serve it.
                #expect(left == [["0", "3", "0", "0", "10"]])
            }
            for isCopy in [true, false] {
                try ServerProcess.run(target.settings) { process in
                    let (worker, subjects, readiness) = (
                        process.loopServices[0], process.subjects("test"), process.readiness
                    )
                    let failures = try? worker.loop.wait {
                        await readiness.lookOnce(subjects)
                        return [
                            await Self.failure(of: worker.outgoing.apple),
                            await Self.failure(of: worker.outgoing.notifications),
                        ]
                    }
                    #expect(failures == (isCopy ? [.copy, .copy] : [.cannotConnect, .cannotConnect]))
                    #expect(readiness.codes.contains(.copy) == isCopy)
                }
                #expect(try RestoreCommand.endCopy(target.settings) == .success)
            }
        }
    }

    /// Why a call to a port fails at which nobody listens.
    private static func failure(of client: HTTPClient) async -> ClientFailure? {
        do throws(ClientFailure) {
            _ = try await client.send(ClientRequest("GET", "http://127.0.0.1:1/", addresses: .publicAndLoopback))
            return nil
        } catch { return error }
    }

    @Test func `under another URL a restore wants to be told what it is for`() async throws {
        let source = try await BackupSource.shared()

        try await blocking {
            let target = try BackupTarget(isPrivate: false, key: source.key, url: "https://other.example")
            let failure = #expect(throws: CommandFailure.self) { try target.restore(source.backup) }
            #expect(
                failure?.lines.first?.hasPrefix("The backup is of http://localhost:8080. Give --public-url") == true)
            #expect(try target.isEmpty())
            #expect(try target.restore(source.backup, isMoved: true) == .success)
            try target.look { looker in
                let copies = try looker.admin("SELECT count(*) FROM copies")
                #expect(copies == [["0"]])
            }
        }
    }

    @Test func `a check finds one changed octet in any file, a missing file, one too many, and one too old`()
        async throws
    {
        let source = try await BackupSource.shared()

        try await blocking {
            let copy = try SpoiltBackup(of: source)
            #expect(try BackupCommand.check(copy.path, maxAge: .seconds(3600)) == .success)
            #expect(try BackupCommand.check(copy.path, maxAge: .seconds(-3600)) == .refused)
            let names = try Folder.names(in: copy.path + "/dump").map { "dump/\($0)" }
            for name in names + ["manifest.json", "SHA256SUMS"] {
                let octets = try File.read(copy.path + "/" + name)
                var changed = octets
                changed[octets.count / 2] ^= 1
                try copy.folder.write(bytes: changed, to: "copy/" + name)
                #expect(throws: CommandFailure.self, "\(name)") { try BackupFolder(copy.path).verify() }
                try copy.folder.write(bytes: octets, to: "copy/" + name)
            }
            #expect(copy.problem == nil)
            // As a file is after a power failure.
            let sums = try File.read(copy.path + "/SHA256SUMS")
            try copy.folder.write(bytes: [UInt8](repeating: 0, count: sums.count), to: "copy/SHA256SUMS")
            #expect(throws: CommandFailure.self) { try BackupFolder(copy.path).verify() }
            try copy.folder.write(bytes: sums, to: "copy/SHA256SUMS")
            try copy.folder.write("", to: "copy/dump/more.dat.gz")
            #expect(copy.problem?.contains("dump/more.dat.gz was changed, is missing") == true)
            try copy.folder.remove("copy/dump/more.dat.gz")
            try copy.folder.remove("copy/\(names[0])")
            #expect(copy.problem?.contains("\(names[0]) was changed, is missing") == true)
            let status = #expect(throws: CommandFailure.self) { try BackupCommand.check(copy.path, maxAge: nil) }
            #expect(status?.status == pippin.ExitStatus(code: 2))
        }
    }

    @Test func `what a restore refuses leaves the database and the data directory as they were`() async throws {
        let source = try await BackupSource.shared()

        try await blocking {
            let targets = [true, false].map { isPrivate in
                Result { try BackupTarget(isPrivate: isPrivate, key: source.key) }
            }
            for target in targets {
                let target = try target.get()
                func expect(_ words: String, of path: String, line: Int = #line) throws {
                    let failure = #expect(throws: CommandFailure.self, "line \(line)") { try target.restore(path) }
                    #expect(failure?.lines.first?.contains(words) == true, "line \(line): \(failure?.lines ?? [])")
                    #expect(try target.isEmpty(), "line \(line)")
                }
                try expect("is no backup", of: "/nowhere")
                let copy = try SpoiltBackup(of: source)
                try copy.seal { $0.format = 2 }
                try expect("format 2", of: copy.path)
                try copy.seal { $0.rows["users"] = 5 }
                try expect("the table users has 4 rows instead of 5", of: copy.path)
                try copy.seal { $0.migrations.append(.init(number: 9999, name: "9999_new.sql", checksum: "")) }
                try expect("schema_newer", of: copy.path)
                try copy.seal { $0.postgres = 99 }
                try expect("of PostgreSQL 99", of: copy.path)
                try copy.seal { $0.programs = 99 }
                try expect("Install the package postgresql-client-99", of: copy.path)
                // Half of the data, with checksums to match: psql has begun by then.
                try copy.cut()
                try expect("nothing was restored: pg_restore", of: copy.path)
            }
        }
    }

    @Test func `a restore needs the master keys of the backup, and names those that are missing`() async throws {
        let source = try await BackupSource.shared()

        try await blocking {
            let target = try BackupTarget(isPrivate: false, key: "other \(String(repeating: "ab", count: 32))\n")
            let other = #expect(throws: CommandFailure.self) { try target.restore(source.backup) }
            let id = source.key.split(separator: " ")[0]
            #expect(other?.lines.first?.contains("lacks the master key \(id)") == true)
            let same = try BackupTarget(isPrivate: false, key: "\(id) \(String(repeating: "ab", count: 32))\n")
            let wrong = #expect(throws: CommandFailure.self) { try same.restore(source.backup) }
            #expect(wrong?.lines.first?.contains("is not the master key \(id)") == true)
            let none = #expect(throws: CommandFailure.self) {
                try BackupTarget(isPrivate: true, key: "").restore(source.backup)
            }
            #expect(none?.lines.first?.contains("Put the master key of the backup there") == true)
            #expect(try target.isEmpty() && same.isEmpty())
        }
    }

    @Test func `a role that sees a part of the rows, and a policy that hides some, make no backup`() async throws {
        let source = try await BackupSource.shared()

        try await blocking {
            try TestRoles.make("backup_part", for: nil)
            let part = source.conninfo.replacing("user=pippin", with: "user=backup_part")
            let role = #expect(throws: CommandFailure.self) { try source.take(from: part) }
            #expect(role?.lines.first?.contains("does not see all rows") == true)
        }
        try await withDatabase { conninfo in
            try await blocking {
                try TestDatabase.execute(
                    "CREATE POLICY part ON users AS RESTRICTIVE FOR SELECT USING (team_id = 'ACMETEAM01')", in: conninfo
                )
                let policy = #expect(throws: CommandFailure.self) { try source.take(from: conninfo) }
                #expect(policy?.lines.first?.hasPrefix("schema_shape") == true)
            }
        }
    }

    @Test func `two backups to one folder exclude each other, and the rest of one that was killed is replaced`()
        async throws
    {
        let source = try await BackupSource.shared()

        try await blocking {
            let folder = try TemporaryFolder()
            let lock = try FileLock(folder: folder.path + "/twice.partial")
            #expect(lock.take())
            let second = #expect(throws: CommandFailure.self) {
                try source.take(from: source.conninfo, to: folder.path + "/twice")
            }
            #expect(second?.lines.first?.contains("is under way") == true)
            lock.release()
            try folder.write("half", to: "twice.partial/manifest.json")
            try source.take(from: source.conninfo, to: folder.path + "/twice")
            #expect(try Folder.names(in: folder.path) == ["twice"])
            let there = #expect(throws: CommandFailure.self) {
                try source.take(from: source.conninfo, to: folder.path + "/twice")
            }
            #expect(there?.lines.first?.contains("exists already") == true)
            #expect(try shell("find \(folder.path)/twice -type f ! -perm 600 -o -type d ! -perm 700") == "")
        }
    }

    @Test func `of two restores into one database at once one restores all, and the other nothing`() async throws {
        let source = try await BackupSource.shared()
        let target = try BackupTarget(isPrivate: false, key: source.key)

        async let one = blocking { try? target.restore(source.backup) }
        async let other = blocking { try? target.restore(source.backup) }
        let outcomes = try await [one, other]

        #expect(outcomes.contains(nil) && outcomes.contains(.success))
        try await blocking {
            let before = try source.digests()
            try target.look { looker in
                for (table, digest) in try looker.digests() { #expect(digest == before[table], "\(table)") }
            }
        }
    }

    @Test func `a migration that is under way is waited for, and is in the backup`() async throws {
        let source = try await BackupSource.shared()

        try await withDatabase { conninfo in
            let folder = try TemporaryFolder()
            let migration = try RowHolder(at: conninfo, "ALTER TABLE users ADD COLUMN extra text DEFAULT 'later'")
            async let taken: Void = blocking { try source.take(from: conninfo, to: folder.path + "/copy") }
            try await migration.waitForWaiters()
            try migration.execute("INSERT INTO users (team_id, sub) VALUES ('PIPPIN0000', 'x')")
            try migration.commit()
            try await taken

            try await blocking {
                let target = try BackupTarget(isPrivate: false, key: source.key)
                #expect(try target.restore(folder.path + "/copy") == .success)
                try target.look { looker in
                    let found = try looker.admin("SELECT extra FROM users")
                    #expect(found == [["later"]])
                }
            }
        }
    }
}

/// Runs what blocks on a thread of its own.
private func blocking<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    let thread = try EventLoop(name: "backup-test")
    try thread.start()
    defer { thread.stop() }
    return try await thread.run { try body() }
}
