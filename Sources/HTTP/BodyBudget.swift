/// The octets of bodies that a loop holds at a time.
///
/// Strangers send bodies too, and whoever has many connections could fill the memory with them. Long bodies have a
/// budget of their own, so that however many wait there is room for the short ones, which tokens and forms are; and half
/// of it is for requests that a route has let in by their heads, so that strangers cannot keep those out.
struct BodyBudget {
    /// The longest body that is short, in octets.
    static let shortLimit = 16 * 1024

    /// What one body takes of the budget.
    struct Share {
        var octets = 0
        var isLong: Bool { octets > BodyBudget.shortLimit }
    }

    private(set) var short: Int
    private(set) var long: Int
    /// Of long bodies, kept for those whose requests were let in.
    private let reserve: Int

    init(short: Int, long: Int) {
        (self.short, self.long, reserve) = (short, long, long / 2)
    }

    /// Makes a share as large as `octets`, which it stays until it is given back; false when there is no room.
    mutating func extend(_ share: inout Share, to octets: Int, isAdmitted: Bool) -> Bool {
        guard octets > share.octets else { return true }
        let wanted = Share(octets: octets)
        let free = wanted.isLong ? (isAdmitted ? long : long - reserve) : short
        guard octets <= free + (wanted.isLong == share.isLong ? share.octets : 0) else { return false }
        giveBack(&share)
        if wanted.isLong { long -= octets } else { short -= octets }
        share = wanted
        return true
    }

    mutating func giveBack(_ share: inout Share) {
        guard share.octets > 0 else { return }
        if share.isLong { long += share.octets } else { short += share.octets }
        share = Share()
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
