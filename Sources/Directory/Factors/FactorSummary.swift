public import Bytes
import Postgres

/// A second factor as the team and the person see it, without its secret.
public struct FactorSummary: Sendable {
    public let kind: FactorKind
    /// What the person calls it; an authenticator app has no name.
    public let name: String?
    public let addedAt: Timestamp
    public let lastUsedAt: Timestamp?

    init(_ row: inout Row) throws(PostgresFailure) {
        kind = try row.next()
        name = try row.next()
        addedAt = try row.next()
        lastUsedAt = try row.next()
    }
}
