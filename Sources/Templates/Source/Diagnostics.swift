/// All errors of templates and texts, in the order found.
public struct Diagnostics: Error, Equatable, Sendable, CustomStringConvertible {
    /// At least one when thrown; without duplicates; at most a hundred.
    public private(set) var all: [Diagnostic] = []

    init() {}

    init(_ only: Diagnostic) { all = [only] }

    /// One line per diagnostic.
    public var description: String { all.map(\.description).joined(separator: "\n") }

    var isFull: Bool { all.count >= TemplateLimit.diagnostics }

    /// Adds a diagnostic unless it is a duplicate, because a partial reports the same error at every use.
    mutating func report(_ diagnostic: Diagnostic) {
        guard !isFull, !all.contains(diagnostic) else { return }
        all.append(diagnostic)
    }

    mutating func report(contentsOf others: Diagnostics) { for diagnostic in others.all { report(diagnostic) } }

    /// Removes the diagnostics after the first `count`.
    mutating func truncate(to count: Int) { all.removeLast(max(0, all.count - count)) }
}

/// One error in a template or a text file, with its location.
public struct Diagnostic: Hashable, Sendable, CustomStringConvertible {
    /// Location of the error.
    public let location: Location
    /// What the file contains there.
    public let found: String
    /// What is required instead.
    public let expected: String
    /// The most similar known name, if one is similar enough.
    public let hint: String?

    /// Creates a diagnostic, for a caller that reports its own problems in the same format.
    public init(at location: Location, found: String, expected: String, hint: String? = nil) {
        self.location = location
        self.found = found
        self.expected = expected
        self.hint = hint
    }

    /// One line: location, found, expected, hint.
    public var description: String {
        let line = "\(location): found \(found), expected \(expected)"
        return hint.map { line + "; did you mean `\($0)`?" } ?? line
    }
}
