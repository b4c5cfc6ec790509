import Postgres

/// The image at the top of a team's hosted pages.
public struct TeamLogo: Sendable {
    /// `image/png`, `image/jpeg` or `image/webp`.
    public let mediaType: String
    public let octets: [UInt8]

    init(_ row: inout Row) throws(PostgresFailure) {
        mediaType = try row.next()
        octets = try row.next()
    }
}
