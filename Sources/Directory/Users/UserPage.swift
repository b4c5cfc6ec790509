public import Bytes
public import Domain
import Postgres

/// Page of a list of users, newest first.
public struct UserPage: Sendable {
    /// Position in the list: the last user of a page.
    public struct Cursor: Hashable, Sendable {
        public let createdAt: Timestamp
        public let subject: Subject

        public init(createdAt: Timestamp, subject: Subject) {
            self.createdAt = createdAt
            self.subject = subject
        }
    }

    /// Number of all users; counting stops where it would take longer than the page itself.
    public enum Total: Hashable, Sendable {
        case exactly(Int)
        case moreThan(Int)
    }

    public let users: [User]
    /// Start of the next page; nil on the last page.
    public let next: Cursor?
    public let total: Total

    /// Reads rows of the total, whether there is a user, and the user; a row beyond `limit` means another page.
    init(_ rows: Rows, limit: Int, countLimit: Int) throws(PostgresFailure) {
        var found: [User] = []
        var count = 0
        for var row in rows {
            count = try row.next()
            if try row.next(Bool.self) { found.append(try User(&row)) }
        }
        users = Array(found.prefix(limit))
        next = found.count > limit ? users.last.map { Cursor(createdAt: $0.createdAt, subject: $0.subject) } : nil
        total = count > countLimit ? .moreThan(countLimit) : .exactly(count)
    }
}
