import Core
import Registry
import Templates

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

/// Failure of a command, with one line for each reason.
struct CommandFailure: Error, Sendable {
    let lines: [String]
    let status: ExitStatus
    /// Whether the command may succeed if it is repeated shortly afterwards.
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

extension CommandFailure {
    /// The field errors of a registry file, one line each, in the console's English texts.
    init(_ problems: [FieldError], after prefix: String = "", saying resources: Resources) {
        let texts: Translations
        do { texts = try Translations(folder: resources.texts) } catch {
            self.init(error.all.map(\.description))
            return
        }
        self.init(
            problems.map { problem in
                let message = texts.text(problem.message)
                return prefix + (problem.field.isEmpty ? message : "\(problem.field): \(message)")
            })
    }
}
