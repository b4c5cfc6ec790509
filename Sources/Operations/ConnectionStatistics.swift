import Postgres

/// Connections and file descriptors of a process, as its heartbeat reports them.
public struct ConnectionStatistics: Equatable, Sendable {
    public var now: Int
    /// Maximum number of simultaneous connections since the process started.
    public var peak: Int
    public var limit: Int
    /// Connections and forwarded requests refused since the start because their network had its maximum in flight.
    public var refused: Int
    /// Times since the start that a connection had to wait because the process had its maximum.
    public var full: Int
    /// Times since the start that no descriptor was left for a waiting connection.
    public var shortages: Int
    /// Octets of responses that clients have not received yet.
    public var octetsInDelivery: Int
    /// Connections closed since the start to free memory for the responses to others.
    public var answersGivenUp: Int
    public var descriptors: Int
    public var descriptorLimit: Int

    public init(
        now: Int = 0, peak: Int = 0, limit: Int = 0, refused: Int = 0, full: Int = 0, shortages: Int = 0,
        delivery: (octets: Int, givenUp: Int) = (0, 0), descriptors: (used: Int, limit: Int) = (0, 0)
    ) {
        self.now = now
        self.peak = peak
        self.limit = limit
        self.refused = refused
        self.full = full
        self.shortages = shortages
        (octetsInDelivery, answersGivenUp) = delivery
        (self.descriptors, descriptorLimit) = descriptors
    }

    init(_ row: inout Row) throws(PostgresFailure) {
        now = try row.next()
        peak = try row.next()
        limit = try row.next()
        refused = try row.next()
        full = try row.next()
        shortages = try row.next()
        descriptors = try row.next()
        descriptorLimit = try row.next()
        octetsInDelivery = try row.next()
        answersGivenUp = try row.next()
    }
}
