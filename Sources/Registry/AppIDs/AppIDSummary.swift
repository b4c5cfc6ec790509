import Postgres

/// An App ID as shown in a list, with the number of its Service IDs and active keys.
public struct AppIDSummary: Hashable, Sendable {
    public let appID: AppID
    public let serviceIDs: Int
    public let activeKeys: Int

    init(_ row: inout Row) throws(PostgresFailure) {
        serviceIDs = try row.next()
        activeKeys = try row.next()
        appID = try AppID(&row)
    }
}
