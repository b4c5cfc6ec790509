/// Exit status of a command.
struct ExitStatus: Sendable, Equatable {
    let code: Int32

    static let success = ExitStatus(code: 0)
    static let refused = ExitStatus(code: 1)
    /// `apply --dry-run` or `migrate --check` found changes.
    static let wouldChange = ExitStatus(code: 2)
    /// `migrate --check` found a database that this release does not run on.
    static let incompatible = ExitStatus(code: 3)
    /// A worker ended because a dependency is temporarily unavailable (sysexits.h, EX_TEMPFAIL).
    static let unavailable = ExitStatus(code: 75)
    static let usage = ExitStatus(code: 64)
}
