/// One reason why a template cannot be used, with its place.
public struct Diagnostic: Hashable, Sendable, CustomStringConvertible {
    /// Where the reason stands.
    public let location: Location
    /// What the file says there.
    public let found: String
    /// What it would have to say.
    public let expected: String
    /// The nearest known name, where one is near.
    public let hint: String?

    /// A reason given by hand.
    public init(at location: Location, found: String, expected: String, hint: String? = nil) {
        self.location = location
        self.found = found
        self.expected = expected
        self.hint = hint
    }

    /// One line: place, found, expected, hint.
    public var description: String {
        let line = "\(location): found \(found), expected \(expected)"
        return hint.map { line + "; did you mean `\($0)`?" } ?? line
    }
}
