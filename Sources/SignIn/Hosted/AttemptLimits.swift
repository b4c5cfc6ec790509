import Bytes
import Directory
import Domain
import HTTP
import Synchronization

/// How many sign-ins may be begun, by all processes together: in a minute per address, per site of IPv6, and per team;
/// how many octets of the senders' are kept for them in that minute, counted in the same way; and how many forms of
/// their account a person may send.
///
/// A person begins a few; the caps keep a flood from filling the store. What each process counts is added up in the
/// database, a thirty-second of a limit at a time: whoever begins a few costs no statement, and a flood is met by
/// all processes at once. Each of them may let that much more pass, and nothing beyond.
public final class AttemptLimits: Sendable {
    private static let window = 60
    /// Octets are counted by so many, for a count that fits its column.
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
    ///   - perSite: of a site of IPv6, which may be a household or a carrier; sixteen addresses' by default.
    ///   - octetsPerTeam: what is kept of all senders together for a team's sign-ins of a minute: a state, a nonce, a hint
    ///     and a return URL of each, some KiB. A sign-in lasts a quarter of an hour, so that this bounds what a flood
    ///     may have on disk. An address has a sixty-fourth of it and a site of IPv6 a sixteenth, so that nobody uses
    ///     up what is everybody's.
    ///   - formsPerPerson: each locks the person, and a row is locked by one at a time.
    public init(
        perAddress: Int = 300,
        perSite: Int? = nil,
        perTeam: Int = 1_000_000,
        octetsPerTeam: Int = 256 << 20,
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

    /// Counts one beginning; false when it is one too many.
    ///
    /// What is refused to an address does not count for its team, lest one address use up what is everybody's.
    ///
    /// - Parameters:
    ///   - octets: how much of what its sender wrote is kept.
    func admit(
        _ address: IPAddress,
        octets: Int = 0,
        team: TeamID,
        counting store: LimitStore,
        at now: Timestamp
    ) async throws -> Bool {
        let units = Self.units(octets)
        var counts = senderCounts(address, beginnings: 1, units: units)
        counts.append(Count(1, .beginnings, .everybody, limit: perTeam))
        counts.append(Count(units, .octets, .everybody, limit: unitsPerTeam))
        return try await admits(counts, team, store, now)
    }

    /// Counts octets that are sent for a sign-in that was counted when it began, to their sender alone; false when they are
    /// too many.
    ///
    /// For the team they count once they are kept: anybody may send them, in a name that no sign-in has.
    func admit(
        octets: Int,
        from address: IPAddress,
        team: TeamID,
        counting store: LimitStore,
        at now: Timestamp
    ) async throws -> Bool {
        let counts = senderCounts(address, beginnings: 0, units: Self.units(octets))
        return try await admits(counts, team, store, now)
    }

    /// Counts octets to the team that are kept for such a sign-in.
    ///
    /// None is refused: the sign-in was let in, and Apple tells a name once.
    func note(
        kept octets: Int,
        team: TeamID,
        counting store: LimitStore,
        at now: Timestamp
    ) async throws {
        let count = Count(Self.units(octets), .octets, .everybody, limit: unitsPerTeam)
        _ = try await admits([count], team, store, now)
    }

    /// Counts a beginning that a backend brings which has proved itself, of whichever of its people; false when it is one too
    /// many of its team.
    func admit(backendOf team: TeamID, counting store: LimitStore, at now: Timestamp) async throws -> Bool {
        try await admits([Count(1, .beginnings, .everybody, limit: perTeam)], team, store, now)
    }

    private static func units(_ octets: Int) -> Int {
        (octets + unit - 1) / unit
    }

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

    /// Counts a form that a person sends from the pages of their account; false when it is one too many.
    func admit(
        formOf person: Subject,
        team: TeamID,
        counting store: LimitStore,
        at now: Timestamp
    ) async throws -> Bool {
        try await admits([Count(1, .forms, .person(person), limit: formsPerPerson)], team, store, now)
    }

    /// Counts one after the other, as long as they are within their limits.
    private func admits(
        _ counts: [Count],
        _ team: TeamID,
        _ store: LimitStore,
        _ now: Timestamp
    ) async throws -> Bool {
        let minute = now.seconds / Self.window
        var rest = counts[...]
        while true {
            switch state.withLock({ Self.advance(through: &rest, of: team, at: minute, in: &$0) }) {
            case .admitted: return true
            case .refused: return false
            case .due(let amount, let count):
                let total = try await share(amount, count.subject, store, team, now)
                let isWithin = state.withLock { state in
                    // A minute that is over meanwhile has taken its counts along.
                    state.minute == minute
                        ? state.learn(total, for: count, of: team) : total <= count.limit
                }
                guard isWithin else { return false }
            }
        }
    }

    /// How far one look at the counts came.
    private enum Advance {
        case admitted
        case refused
        /// So many are to be added to everybody's count first.
        case due(Int, Count)
    }

    private static func advance(
        through rest: inout ArraySlice<Count>,
        of team: TeamID,
        at minute: Int,
        in state: inout State
    ) -> Advance {
        // One that waited over the turn of a minute counts in the new one.
        if minute > state.minute || minute < state.minute - 1 { state = State(minute: minute) }
        while let count = rest.popFirst() {
            guard count.amount > 0 else { continue }
            let (due, isWithin) = state.add(count, of: team)
            if due > 0 { return .due(due, count) }
            guard isWithin else { return .refused }
        }
        return .admitted
    }

    /// Adds to everybody's count of this minute, and returns it.
    private func share(
        _ amount: Int,
        _ subject: LimitSubject,
        _ store: LimitStore,
        _ team: TeamID,
        _ now: Timestamp
    ) async throws -> Int {
        let end = Timestamp(seconds: (now.seconds / Self.window + 1) * Self.window)
        return try await store.add(amount, to: subject, window: end - now, in: team, at: now).value
    }
}
