/// Exit status of a command.
struct ExitStatus: Sendable, Equatable {
    let code: Int32

    static let success = ExitStatus(code: 0)
    static let refused = ExitStatus(code: 1)
    /// `apply --dry-run` found changes.
    static let wouldChange = ExitStatus(code: 2)
    /// A worker ended because a dependency is temporarily unavailable (sysexits.h, EX_TEMPFAIL).
    static let unavailable = ExitStatus(code: 75)
    static let usage = ExitStatus(code: 64)
}
