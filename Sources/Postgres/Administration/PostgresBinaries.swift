/// Location of PostgreSQL's programs.
struct PostgresBinaries: Equatable {
    let version: Int
    let folder: String

    /// The oldest version with the SQL and libpq features in use.
    static let oldest = 15

    static let ofServer = ["postgres", "initdb", "pg_ctl"]
    static let ofDumps = ["pg_dump", "pg_restore", "psql"]

    func path(_ program: String) -> String { folder + "/" + program }

    /// The newest installed version, or exactly `version`, because only that version can read its data.
    ///
    /// Debian's folders come first, then the folders of `searchPath` (as in PATH).
    static func find(_ programs: [String] = ofServer, version: Int? = nil, under root: String, searchPath: String)
        -> PostgresBinaries?
    {
        let packaged = ((try? Folder.names(in: root)) ?? []).compactMap { name in
            Int(name).map { PostgresBinaries(version: $0, folder: "\(root)/\(name)/bin") }
        }
        let suitable = packaged.filter { $0.suits(version) && $0.has(programs) }
        return suitable.max { $0.version < $1.version } ?? onPath(searchPath, programs, version)
    }

    private static func onPath(_ searchPath: String, _ programs: [String], _ version: Int?) -> PostgresBinaries? {
        for folder in searchPath.split(separator: ":").map(String.init) {
            let candidate = PostgresBinaries(version: 0, folder: folder)
            guard candidate.has(programs), let found = candidate.askVersion(programs[0]) else { continue }
            let binaries = PostgresBinaries(version: found, folder: folder)
            if binaries.suits(version) { return binaries }
        }
        return nil
    }

    private func suits(_ wanted: Int?) -> Bool { wanted.map { $0 == version } ?? (version >= Self.oldest) }

    private func has(_ programs: [String]) -> Bool { programs.allSatisfy { File.isExecutable(path($0)) } }

    /// Parses output such as "postgres (PostgreSQL) 15.13 (Debian 15.13-0+deb12u1)".
    private func askVersion(_ program: String) -> Int? {
        guard let outcome = try? Subprocess.run([path(program), "--version"]), outcome.code == 0 else { return nil }
        let words = outcome.output.split(separator: " ")
        return words.dropFirst(2).first.flatMap { Int($0.prefix { $0.isNumber }) }
    }
}
