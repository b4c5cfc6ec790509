/// The octets of bodies that a loop holds at a time.
///
/// Strangers send bodies too, and whoever has many connections could fill the memory with them. Long bodies have a
/// budget of their own, so that however many wait there is room for the short ones, which tokens and forms are. Of it
/// strangers have half at most and requests that a route has let in by their heads three quarters, so that each of them
/// always have the rest; and one address, or site of IPv6, has a quarter, unless it sends a single body that is longer.
///
/// A body counts by the length that it is said to have: what is begun can be finished.
struct BodyBudget {
    /// The longest body that is short, in octets.
    static let shortLimit = 16 * 1024

    /// What one body takes of the budget.
    struct Share {
        fileprivate(set) var octets = 0
        /// Of a long body: whether its request was let in.
        fileprivate var isAdmitted = false
        /// Of a long body: whose it is, where that is known.
        fileprivate var holder: IPAddress?

        var isLong: Bool { octets > BodyBudget.shortLimit }
    }

    private(set) var short: Int
    private let size: Int
    private var strangers = 0
    private var admitted = 0
    private var byHolder: [IPAddress: Int] = [:]

    init(short: Int, long: Int) {
        (self.short, size) = (short, long)
    }

    /// Octets left for long bodies.
    var long: Int { size - strangers - admitted }

    /// Makes a share as large as `octets`, which it stays until it is given back; false when there is no room.
    ///
    /// - Parameter client: whose body it is, nil where nobody knows; asked for a long one alone.
    mutating func extend(
        _ share: inout Share,
        to octets: Int,
        isAdmitted: Bool,
        by client: @autoclosure () -> IPAddress? = nil
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
            wanted.isAdmitted
            ? admitted + wanted.octets <= size - quarter : strangers + wanted.octets <= size / 2
        guard isWithin, wanted.octets <= long else { return false }
        guard let holder = wanted.holder, let held = byHolder[holder] else { return true }
        return held + wanted.octets <= quarter
    }

    /// Counts a share once more, or once less.
    private mutating func count(_ share: Share, _ sign: Int) {
        let octets = sign * share.octets
        guard share.isLong else {
            short -= octets
            return
        }
        if share.isAdmitted { admitted += octets } else { strangers += octets }
        guard let holder = share.holder else { return }
        let held = byHolder[holder, default: 0] + octets
        byHolder[holder] = held > 0 ? held : nil
    }
}

extension [UInt8] {
    /// Appends a piece of a body that may become `limit` octets long, with no more room for it than that.
    ///
    /// How long it is said to be is not believed before some of it is there.
    mutating func take(_ piece: UnsafeRawBufferPointer, of limit: Int) {
        let wanted = count + piece.count
        if wanted > capacity { reserveCapacity(Swift.max(wanted, Swift.min(limit, 2 * wanted))) }
        unsafe append(contentsOf: piece)
    }
}
