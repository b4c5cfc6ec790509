import Bytes
import Directory
import Domain
import HTTP
import Synchronization

/// Limits, for all processes together, of sign-ins started, of octets stored for them, and of forms that users send.
///
/// Sign-ins and octets are counted per minute: by address, by IPv6 site and by team. A user starts a few; the limits
/// keep a flood from filling the database. Each process adds its counts to shared counters in the database, a
/// thirty-second of a limit at a time: a sender with few requests costs no statement, and a flood is limited by all
/// processes together. Each process may exceed a limit by that share, and by no more.
public final class InteractionLimits: Sendable {
    private static let window = 60
    /// Octets per counted unit, so that a count fits its column.
    private static let unit = 64

    private let perAddress: Int
    private let perSite: Int
    private let perTeam: Int
    private let unitsPerTeam: Int
    private let unitsPerSite: Int
    private let unitsPerAddress: Int
    private let formsPerPerson: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - perSite: sign-ins of an IPv6 site, which may be a household or a carrier; by default those of 16 addresses.
    ///   - octetsPerTeam: octets that are stored from all senders for a team's sign-ins of a minute: state, nonce, hint
    ///     and return URL, some KiB each. A sign-in lasts 15 minutes, so this limits the disk space that a flood can
    ///     take. An address has 1/64 of it and an IPv6 site 1/16, so that no sender uses up the team's limit.
    ///   - formsPerPerson: forms of a user; of those that only end something, forms of each session. Each locks the
    ///     user's row, which one transaction locks at a time.
    public init(
        perAddress: Int = 300, perSite: Int? = nil, perTeam: Int = 1_000_000, octetsPerTeam: Int = 256 << 20,
        formsPerPerson: Int = 300
    ) {
        self.perAddress = perAddress
        self.perSite = perSite ?? LimitSubject.addressesPerSite * perAddress
        self.perTeam = perTeam
        unitsPerTeam = octetsPerTeam / Self.unit
        unitsPerSite = unitsPerTeam / 16
        unitsPerAddress = unitsPerTeam / 64
        self.formsPerPerson = formsPerPerson
    }

    /// Counts the start of a sign-in; false if it is beyond a limit.
    ///
    /// A sign-in rejected for its address does not count for the team, so that no address uses up the team's limit.
    ///
    /// - Parameters:
    ///   - octets: octets from the sender that are stored for it.
    func admit(_ address: IPAddress, octets: Int = 0, team: TeamID, counting store: LimitStore, at now: Timestamp)
        async throws -> Bool
    {
        let units = Self.units(octets)
        var counts = senderCounts(address, beginnings: 1, units: units)
        counts.append(Count(1, .beginnings, .everybody, limit: perTeam))
        counts.append(Count(units, .octets, .everybody, limit: unitsPerTeam))
        return try await admits(counts, team, store, now)
    }

    /// Counts octets sent for a sign-in that was counted at its start, for the sender alone; false if beyond a limit.
    ///
    /// They count for the team once they are stored, because any client can send some with a state that no sign-in has.
    func admit(octets: Int, from address: IPAddress, team: TeamID, counting store: LimitStore, at now: Timestamp)
        async throws -> Bool
    {
        let counts = senderCounts(address, beginnings: 0, units: Self.units(octets))
        return try await admits(counts, team, store, now)
    }

    /// Counts octets stored for a sign-in that was counted at its start, for the team.
    ///
    /// None are rejected: the sign-in was admitted, and Apple sends a name only once.
    func note(kept octets: Int, team: TeamID, counting store: LimitStore, at now: Timestamp) async throws {
        let count = Count(Self.units(octets), .octets, .everybody, limit: unitsPerTeam)
        _ = try await admits([count], team, store, now)
    }

    /// Counts a sign-in that an authenticated backend starts for any of its users; false if beyond the team's limit.
    func admit(backendOf team: TeamID, counting store: LimitStore, at now: Timestamp) async throws -> Bool {
        try await admits([Count(1, .beginnings, .everybody, limit: perTeam)], team, store, now)
    }

    private static func units(_ octets: Int) -> Int { (octets + unit - 1) / unit }

    private func senderCounts(_ address: IPAddress, beginnings: Int, units: Int) -> [Count] {
        let network = address.network
        var counts = [
            Count(beginnings, .beginnings, .address(network), limit: perAddress),
            Count(units, .octets, .address(network), limit: unitsPerAddress),
        ]
        if let site = address.site {
            counts.append(Count(beginnings, .beginnings, .site(site), limit: perSite))
            counts.append(Count(units, .octets, .site(site), limit: unitsPerSite))
        }
        return counts
    }

    /// Counts a form that a user sends from the account pages; false if it is beyond the limit.
    func admit(formOf person: Subject, team: TeamID, counting store: LimitStore, at now: Timestamp) async throws -> Bool
    { try await admits([Count(1, .forms, .person(person), limit: formsPerPerson)], team, store, now) }

    /// Counts a form that only ends something, for its session alone, so that no other session of the user, which may
    /// be stolen, can prevent it; false if it is beyond the limit.
    func admit(endingFormOf session: SessionID, team: TeamID, counting store: LimitStore, at now: Timestamp)
        async throws -> Bool
    { try await admits([Count(1, .forms, .session(session), limit: formsPerPerson)], team, store, now) }

    /// Adds to the counters in order, until one is beyond its limit.
    private func admits(_ counts: [Count], _ team: TeamID, _ store: LimitStore, _ now: Timestamp) async throws -> Bool {
        let minute = now.seconds / Self.window
        var rest = counts[...]
        while true {
            switch state.withLock({ Self.advance(through: &rest, of: team, at: minute, in: &$0) }) {
            case .admitted: return true
            case .refused: return false
            case .due(let amount, let count):
                let total = try await share(amount, count.subject, store, team, now)
                let isWithin = state.withLock { state in
                    // If the minute has ended meanwhile, its counters are gone.
                    state.minute == minute ? state.learn(total, for: count, of: team) : total <= count.limit
                }
                guard isWithin else { return false }
            }
        }
    }

    /// Result of one pass over the counts.
    private enum Advance {
        case admitted
        case refused
        /// Amount to add to the shared counter first.
        case due(Int, Count)
    }

    private static func advance(
        through rest: inout ArraySlice<Count>, of team: TeamID, at minute: Int, in state: inout State
    ) -> Advance {
        // A request of the previous minute, which has waited, counts in the current one.
        if minute > state.minute || minute < state.minute - 1 { state = State(minute: minute) }
        while let count = rest.popFirst() {
            guard count.amount > 0 else { continue }
            let (due, isWithin) = state.add(count, of: team)
            if due > 0 { return .due(due, count) }
            guard isWithin else { return .refused }
        }
        return .admitted
    }

    /// Adds to the shared counter of this minute, and returns its value.
    private func share(_ amount: Int, _ subject: LimitSubject, _ store: LimitStore, _ team: TeamID, _ now: Timestamp)
        async throws -> Int
    {
        let end = Timestamp(seconds: (now.seconds / Self.window + 1) * Self.window)
        return try await store.add(amount, to: subject, window: end - now, in: team, at: now).value
    }
}
