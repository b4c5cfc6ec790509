/// Budget for the octets of request bodies that a loop keeps at a time.
///
/// Unauthenticated clients send bodies too, and a client with many connections could fill the memory with them. Long
/// bodies have a budget of their own, so that there is always room for short ones, such as token requests and forms. Of
/// that budget, requests not admitted by their route get half at most and admitted ones three quarters, so that the
/// rest always remains for the other kind. One address, or IPv6 site, gets a quarter, unless it sends a single body
/// that is longer.
///
/// A body counts by its declared length, so that a started body can be completed.
struct BodyBudget {
    /// Greatest length of a short body, in octets.
    static let shortLimit = 16 * 1024

    /// The part of the budget that one body takes.
    struct Share {
        fileprivate(set) var octets = 0
        /// For a long body: whether its request was admitted.
        fileprivate var isAdmitted = false
        /// For a long body: the address or IPv6 site of its client, when known.
        fileprivate var holder: IPAddress?

        var isLong: Bool { octets > BodyBudget.shortLimit }
    }

    private(set) var short: Int
    private let size: Int
    private var unadmitted = 0
    private var admitted = 0
    private var byHolder: [IPAddress: Int] = [:]

    init(short: Int, long: Int) { (self.short, size) = (short, long) }

    /// Octets left for long bodies.
    var long: Int { size - unadmitted - admitted }

    /// Extends a share to `octets`, which it keeps until `giveBack`; false when there is no room.
    ///
    /// - Parameter client: the body's client, nil when unknown; evaluated for a long body only.
    mutating func extend(
        _ share: inout Share, to octets: Int, isAdmitted: Bool, by client: @autoclosure () -> IPAddress? = nil
    ) -> Bool {
        guard octets > share.octets else { return true }
        var wanted = Share()
        wanted.octets = octets
        if wanted.isLong {
            wanted.isAdmitted = isAdmitted
            wanted.holder = client().map { $0.site ?? $0 }
        }
        let before = share
        giveBack(&share)
        let isTaken = wanted.isLong ? hasRoom(forLong: wanted) : octets <= short
        share = isTaken ? wanted : before
        count(share, 1)
        return isTaken
    }

    mutating func giveBack(_ share: inout Share) {
        guard share.octets > 0 else { return }
        count(share, -1)
        share = Share()
    }

    private func hasRoom(forLong wanted: Share) -> Bool {
        let quarter = size / 4
        let isWithin =
            wanted.isAdmitted ? admitted + wanted.octets <= size - quarter : unadmitted + wanted.octets <= size / 2
        guard isWithin, wanted.octets <= long else { return false }
        guard let holder = wanted.holder, let held = byHolder[holder] else { return true }
        return held + wanted.octets <= quarter
    }

    /// Adds a share to the counts, or subtracts it when `sign` is -1.
    private mutating func count(_ share: Share, _ sign: Int) {
        let octets = sign * share.octets
        guard share.isLong else {
            short -= octets
            return
        }
        if share.isAdmitted { admitted += octets } else { unadmitted += octets }
        guard let holder = share.holder else { return }
        let held = byHolder[holder, default: 0] + octets
        byHolder[holder] = held > 0 ? held : nil
    }
}

extension [UInt8] {
    /// Appends a piece of a body that may become `limit` octets long, and reserves no more than that.
    ///
    /// The capacity grows with the octets received, because a declared length cannot be trusted.
    mutating func take(_ piece: UnsafeRawBufferPointer, of limit: Int) {
        let wanted = count + piece.count
        if wanted > capacity { reserveCapacity(Swift.max(wanted, Swift.min(limit, 2 * wanted))) }
        unsafe append(contentsOf: piece)
    }
}
