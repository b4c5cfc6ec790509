/// PostgreSQL's programs that write and read dumps, of one version.
///
/// They get the connection by their environment, because others can see the arguments of a process, and end with this
/// process, and an open transaction with them.
public struct DumpPrograms: Sendable {
    private let binaries: PostgresBinaries
    /// Variables, as `name=value`, that say where a `service` of the connection is defined.
    public var services: [String] = []
    /// PostgreSQL's major version.
    public var version: Int { binaries.version }

    /// Those of that version, or else the newest; nil if that is older.
    public init?(atLeast version: Int, _ settings: ClusterSettings) {
        let find = { (exactly: Int?) in
            PostgresBinaries.find(
                PostgresBinaries.ofDumps, version: exactly, under: settings.packages, searchPath: settings.searchPath)
        }
        guard let found = find(version) ?? find(nil), found.version >= version else { return nil }
        binaries = found
    }

    /// Dumps the schema `public` into a new folder, with one connection: those of several give up at once where
    /// somebody waits for a table that the first has locked, as the jobs that empty tables do.
    ///
    /// - Parameters:
    ///   - snapshot: what a transaction has exported, which stays open meanwhile.
    ///   - tables: those of which no rows are dumped.
    ///   - isHeld: whether row-level security holds for the role, which then acts as the owner to see all rows.
    ///   - tick: called each second.
    public func dump(
        _ conninfo: String, at snapshot: String, withoutRowsOf tables: [String], isHeld: Bool, to folder: String,
        tick: @escaping () -> Void
    ) throws(DumpFailure) {
        let options = [
            "--no-password", "--format=directory", "--schema=public", "--snapshot=\(snapshot)",
            "--lock-wait-timeout=60s", "--file=\(folder)",
        ]
        let rows = tables.map { "--exclude-table-data=public.\($0)" } + (isHeld ? ["--enable-row-security"] : [])
        try run("exec \"$0/pg_dump\" \"$@\"", options + rows, conninfo, tick: tick)
    }

    /// The number of tables whose rows are in a dump, by its table of contents.
    public func countTables(of folder: String) throws(DumpFailure) -> Int {
        let count = try run("\"$0/pg_restore\" --list \"$1\" | grep -c ' TABLE DATA public '", [folder])
        return count.split(separator: "\n").last.flatMap { Int($0) } ?? 0
    }

    /// The number of rows of each table in a dump, by reading them: a row is a line, since COPY escapes line breaks.
    ///
    /// - Parameter table: nil for all.
    public func countRows(of folder: String, in table: String? = nil, tick: @escaping () -> Void = {})
        throws(DumpFailure) -> [String: Int]
    {
        let lines = try run(
            #"""
            "$0/pg_restore" --data-only --file=- "$@" | awk '
                name == "" && /^COPY public\./ { match($0, / \(/); name = substr($0, 13, RSTART - 13); count = 0; next }
                $0 == "\\." { print count " " name; name = ""; next }
                name != "" { count++ }'
            """#, (table.map { ["--table=\($0)"] } ?? []) + [folder], tick: tick)
        let rows = lines.split(separator: "\n").map { $0.split(separator: " ", maxSplits: 1).map(String.init) }
        return Dictionary(rows.compactMap { row in Int(row[0]).map { (row[row.count - 1], $0) } }) { first, _ in first }
    }

    /// Restores a dump as the role of `conninfo`, which owns everything then, in one transaction.
    ///
    /// The programs of version 17 set `transaction_timeout`, which no server before 17 has.
    ///
    /// - Parameters:
    ///   - entries: pattern of lines of its table of contents that are left out.
    ///   - script: statements before and after those of the dump, which begin and commit the transaction. The last are not
    ///     run where the dump cannot be read to its end.
    public func restore(
        _ folder: String, without entries: String, in script: (before: String, after: String), to conninfo: String,
        tick: @escaping () -> Void
    ) throws(DumpFailure) {
        let mark = "pippin: all was restored"
        let said = try run(
            #"""
            {
                printf %s "$3"
                {
                    "$0/pg_restore" --list "$1" | grep -Ev "$2" |
                        "$0/pg_restore" --no-owner --enable-row-security --use-list=/dev/stdin --file=- "$1" &&
                        printf %s "$4"
                } | sed '1,/^SET client_encoding/{/^SET transaction_timeout/d}'
            } | setpriv --pdeathsig=KILL "$0/psql" --no-psqlrc --quiet --no-password --set=ON_ERROR_STOP=1 \
                --output=/dev/null --file=-
            """#, [folder, entries, script.before, script.after + "\\echo \(mark)\n"], conninfo, tick: tick)
        guard said.contains(mark) else { throw DumpFailure(Subprocess.Outcome(code: 1, output: said).reason) }
    }

    @discardableResult private func run(
        _ script: String, _ arguments: [String], _ conninfo: String? = nil, tick: @escaping () -> Void = {}
    ) throws(DumpFailure) -> String {
        let command = ["/usr/bin/setpriv", "--pdeathsig=KILL", "/bin/sh", "-c", script, binaries.folder] + arguments
        let environment = conninfo.map(environment) ?? []
        let outcome: Subprocess.Outcome
        do throws(FileFailure) { outcome = try Subprocess.run(command, environment: environment, tick: tick) } catch {
            throw DumpFailure("\(error.path): \(error.reason)")
        }
        guard outcome.code == 0 else { throw DumpFailure(outcome.reason) }
        return outcome.output
    }

    private func environment(_ conninfo: String) -> [String] {
        let servers = DatabaseServers(conninfo)
        let options = [servers.parameters["options"], "-c pippin.owner=on"].compactMap(\.self).joined(separator: " ")
        return servers.parameters.environment.filter { !$0.hasPrefix("PGOPTIONS=") } + ["PGOPTIONS=\(options)"]
            + services + (servers.hasSeveral ? ["PGTARGETSESSIONATTRS=read-write"] : [])
    }
}

/// Why a program of PostgreSQL failed, in its own words.
public struct DumpFailure: Error, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}
