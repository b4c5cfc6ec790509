import Postgres

/// The connections and descriptors of a process, as its sign of life tells.
public struct ConnectionBeat: Equatable, Sendable {
    public var now: Int
    /// The most at a time since its start.
    public var peak: Int
    public var limit: Int
    /// Refused since its start, because their address had as many as one may have.
    public var refusedByAddress: Int
    /// Refused since its start, because the addresses of their site of IPv6 had as many as they may have together.
    public var refusedBySite: Int
    /// Refused since its start, because no other could give way.
    public var refusedForRoom: Int
    /// Closed since its start, so that a new one could be taken.
    public var displaced: Int
    /// How often since its start there was no descriptor left for one that waited.
    public var shortages: Int
    /// Octets of answers that clients had yet to take.
    public var octetsInDelivery: Int
    /// Closed since its start, so that there was memory for the answers of others.
    public var answersGivenUp: Int
    public var descriptors: Int
    public var descriptorLimit: Int

    /// Refused since its start, for whatever cause.
    public var refused: Int { refusedByAddress + refusedBySite + refusedForRoom }

    public init(
        now: Int = 0,
        peak: Int = 0,
        limit: Int = 0,
        refused: (byAddress: Int, bySite: Int, forRoom: Int) = (0, 0, 0),
        displaced: Int = 0,
        shortages: Int = 0,
        delivery: (octets: Int, givenUp: Int) = (0, 0),
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
