import Directory
import Domain
import EventLoop

/// How many flows are stored that anybody on the network can cause: so many of each at once, and so many a day, that nobody
/// fills the disk.
///
/// What is beyond it is counted all the same.
struct FlowAllowance<Owner: Hashable> {
    private let burst: Double
    private let perSecond: Double
    private var buckets: [Owner: Bucket] = [:]

    private static var capacity: Int { 20_000 }

    private struct Bucket {
        var level: Double
        var filledAt: Int64
    }

    init(burst: Int, perDay: Int) {
        self.burst = Double(burst)
        perSecond = Double(perDay) / 86_400
    }

    /// Takes one; false when there is none left.
    mutating func take(for owner: Owner, at now: Int64 = MonotonicTime.now()) -> Bool {
        if buckets.count >= Self.capacity { forgetFullest(at: now) }
        var bucket = buckets[owner] ?? Bucket(level: burst, filledAt: now)
        bucket.level = level(of: bucket, at: now)
        bucket.filledAt = now
        let isThere = bucket.level >= 1
        if isThere { bucket.level -= 1 }
        buckets[owner] = bucket
        return isThere
    }

    private func level(of bucket: Bucket, at now: Int64) -> Double {
        let seconds = Double(max(0, now - bucket.filledAt)) / 1_000_000_000
        return min(burst, bucket.level + seconds * perSecond)
    }

    /// Makes room for others.
    ///
    /// Who is forgotten has a whole burst again; so it is the half that has most left. Whoever has used theirs up gets
    /// nothing back by many others who come.
    private mutating func forgetFullest(at now: Int64) {
        let levels = buckets.map { (owner: $0.key, level: level(of: $0.value, at: now)) }
        for (owner, _) in levels.sorted(by: { $0.level > $1.level }).prefix(levels.count / 2) {
            buckets[owner] = nil
        }
    }
}

/// How many steps are stored that nobody has to have an account for: by address, by site of IPv6 and by team, so that one
/// address leaves the team room for everybody else's.
struct SenderAllowance {
    private struct Sender: Hashable {
        let team: TeamID
        let subject: LimitSubject
    }

    private var addresses: FlowAllowance<Sender>
    private var sites: FlowAllowance<Sender>
    private var teams: FlowAllowance<TeamID>

    /// What fails at nothing, of sign-ins in which nobody has proved who they are: to be sent to a provider, or to turn back.
    static var ofStrangers: SenderAllowance {
        SenderAllowance(
            addresses: FlowAllowance(burst: 60, perDay: 1_000),
            sites: FlowAllowance(burst: 240, perDay: 4_000),
            teams: FlowAllowance(burst: 300, perDay: 20_000)
        )
    }

    /// What is refused; an app's backend has one address for all its people.
    static var ofRefusals: SenderAllowance {
        SenderAllowance(
            addresses: FlowAllowance(burst: 100, perDay: 8_000),
            sites: FlowAllowance(burst: 200, perDay: 12_000),
            teams: FlowAllowance(burst: 300, perDay: 40_000)
        )
    }

    /// Takes one; false when there is none left.
    ///
    /// What is refused to an address takes nothing of its team's.
    mutating func take(from ip: String, in team: TeamID, at now: Int64 = MonotonicTime.now()) -> Bool {
        let address = Sender(team: team, subject: .address("steps", ip))
        guard addresses.take(for: address, at: now) else { return false }
        if let site = LimitSubject.site("steps", ip) {
            guard sites.take(for: Sender(team: team, subject: site), at: now) else { return false }
        }
        return teams.take(for: team, at: now)
    }
}

/// Somebody who is known to a team.
struct TeamPerson: Hashable {
    let team: TeamID
    let subject: Subject
}
