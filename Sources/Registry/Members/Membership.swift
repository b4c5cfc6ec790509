public import Core
public import Platform
import Postgres

/// A team and the role of an account in it.
public struct Membership: Sendable {
    public let team: Team
    public let role: Role
}

/// A member of a team; the name is in the system team's directory.
public struct Member: Sendable {
    public let account: Subject
    public let role: Role
    public let since: Timestamp

    init(_ row: inout Row) throws(PostgresFailure) {
        account = try row.next()
        role = try row.next()
        since = try row.next()
    }
}
