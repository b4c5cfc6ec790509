/// How a command ended, as shells see it.
struct ExitStatus: Sendable, Equatable {
    let code: Int32

    static let success = ExitStatus(code: 0)
    static let refused = ExitStatus(code: 1)
    /// `apply --dry-run` found something to change.
    static let wouldChange = ExitStatus(code: 2)
    /// How a worker ends where something is away that may come back (sysexits.h, EX_TEMPFAIL).
    static let unavailable = ExitStatus(code: 75)
    static let usage = ExitStatus(code: 64)
}

/// Why a command could not do its work: one clear line for each reason.
struct CommandFailure: Error, Sendable {
    let lines: [String]
    let status: ExitStatus
    /// Whether the same may succeed a moment later.
    let isTransient: Bool

    init(_ lines: [String], status: ExitStatus = .refused, isTransient: Bool = false) {
        self.lines = lines
        self.status = status
        self.isTransient = isTransient
    }

    init(_ line: String, status: ExitStatus = .refused, isTransient: Bool = false) {
        self.init([line], status: status, isTransient: isTransient)
    }
}
