public import Bytes
public import Domain
import Postgres

/// A team as one of its members sees it.
public struct Membership: Sendable {
    public let team: Team
    public let role: Role
}

/// A member as the team sees them; the system team's directory knows their name.
public struct Member: Sendable {
    /// How many a team may have: the page that lists them is made on the threads that serve other teams, too.
    public static let limit = 500

    public let account: Subject
    public let role: Role
    public let since: Timestamp

    init(_ row: inout Row) throws(PostgresFailure) {
        account = try row.next()
        role = try row.next()
        since = try row.next()
    }
}
