public import Core
public import Platform
import Postgres

/// A Service ID as shown in a list, with the number of its domains and return URLs.
public struct ServiceIDSummary: Hashable, Sendable {
    public let identifier: ClientID
    public let description: String
    public let appID: ClientID
    public let appDescription: String
    public let domains: Int
    public let returnURLs: Int
    public let createdAt: Timestamp

    init(_ row: inout Row) throws(PostgresFailure) {
        identifier = try row.next()
        description = try row.next()
        appID = try row.next()
        appDescription = try row.next()
        domains = try row.next()
        returnURLs = try row.next()
        createdAt = try row.next()
    }
}
