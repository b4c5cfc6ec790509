public import Postgres

/// Where the users of a team authenticate.
public enum IdentitySource: String, SQLText, CaseIterable, Sendable, CustomStringConvertible {
    /// The team's own users with their passwords.
    case directory
    /// Apple, with the team's own key.
    case apple

    public var description: String { rawValue }

    /// The sources that a team may have together.
    static let combinations: [(name: String, elements: [IdentitySource])] = [
        ("directory", [.directory]), ("apple", [.apple]), ("both", allCases),
    ]
}
