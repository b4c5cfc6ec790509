public import Core
import Postgres

/// Second factor as displayed to the team and the user, without its secret.
public struct FactorSummary: Sendable {
    public let kind: FactorKind
    /// Name given by the user; nil for an authenticator app.
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
