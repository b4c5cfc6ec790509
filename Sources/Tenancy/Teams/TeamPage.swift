public import Bytes
public import Domain

/// A page of the operators' list of teams, newest first.
public struct TeamPage: Sendable {
    /// A position in the list: the last team of a page.
    public struct Cursor: Hashable, Sendable {
        public let createdAt: Timestamp
        public let id: TeamID

        public init(createdAt: Timestamp, id: TeamID) {
            self.createdAt = createdAt
            self.id = id
        }
    }

    public let teams: [Team]
    /// Where the next page begins, or nil on the last one.
    public let next: Cursor?
    /// Number of matching teams.
    public let total: Int

    init(found: [Team], limit: Int, total: Int) {
        teams = Array(found.prefix(limit))
        next = found.count > limit ? teams.last.map { Cursor(createdAt: $0.createdAt, id: $0.id) } : nil
        self.total = total
    }
}
