import Postgres

/// Connections and file descriptors of a process, as its heartbeat reports them.
public struct ConnectionStatistics: Equatable, Sendable {
    public var now: Int
    /// Maximum number of simultaneous connections since the process started.
    public var peak: Int
    public var limit: Int
    /// Connections refused since the start because their address had the maximum for one address.
    public var refusedByAddress: Int
    /// Connections refused since the start because the addresses of their IPv6 site had the maximum for one site.
    public var refusedBySite: Int
    /// Connections refused since the start because no other connection could be closed in their place.
    public var refusedForRoom: Int
    /// Connections closed since the start to accept a new one.
    public var displaced: Int
    /// Times since the start that no descriptor was left for a waiting connection.
    public var shortages: Int
    /// Octets of responses that clients have not received yet.
    public var octetsInDelivery: Int
    /// Connections closed since the start to free memory for the responses to others.
    public var answersGivenUp: Int
    public var descriptors: Int
    public var descriptorLimit: Int

    /// Connections refused since the start, for any reason.
    public var refused: Int { refusedByAddress + refusedBySite + refusedForRoom }

    public init(
        now: Int = 0, peak: Int = 0, limit: Int = 0, refused: (byAddress: Int, bySite: Int, forRoom: Int) = (0, 0, 0),
        displaced: Int = 0, shortages: Int = 0, delivery: (octets: Int, givenUp: Int) = (0, 0),
        descriptors: (used: Int, limit: Int) = (0, 0)
    ) {
        self.now = now
        self.peak = peak
        self.limit = limit
        (refusedByAddress, refusedBySite, refusedForRoom) = refused
        self.displaced = displaced
        self.shortages = shortages
        (octetsInDelivery, answersGivenUp) = delivery
        (self.descriptors, descriptorLimit) = descriptors
    }

    init(_ row: inout Row) throws(PostgresFailure) {
        now = try row.next()
        peak = try row.next()
        limit = try row.next()
        refusedByAddress = try row.next()
        refusedBySite = try row.next()
        refusedForRoom = try row.next()
        displaced = try row.next()
        shortages = try row.next()
        descriptors = try row.next()
        descriptorLimit = try row.next()
        octetsInDelivery = try row.next()
        answersGivenUp = try row.next()
    }
}
