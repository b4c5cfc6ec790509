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
    /// How much of a limit is counted here before it is added to what others count.
    private static let shares = 32
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

    private struct State {
        var minute = 0
        /// Of addresses, sites and people.
        var addresses: [Key: Tally] = [:]
        /// Of whole teams.
        var teams: [Key: Tally] = [:]

        subscript(_ key: Key) -> Tally {
            get { (key.isOfAll ? teams[key] : addresses[key]) ?? Tally() }
            set { if key.isOfAll { teams[key] = newValue } else { addresses[key] = newValue } }
        }
    }

    private struct Key: Hashable {
        let team: TeamID
        let subject: LimitSubject
        /// Whether everybody counts, and not one sender.
        var isOfAll = false
    }

    /// What is known of one count.
    private struct Tally {
        /// Everybody's, as far as it is known here.
        var total = 0
        /// Ours that nobody else knows of yet.
        var pending = 0

        /// Counts so many; the amount to add to everybody's count now, or 0.
        mutating func count(_ amount: Int, limit: Int) -> Int {
            total += amount
            pending += amount
            let share = max(1, limit / AttemptLimits.shares)
            guard pending >= share, total <= limit + share else { return 0 }
            defer { pending = 0 }
            return pending
        }

        /// Takes over everybody's count, to which ours since then are to be added.
        mutating func learn(_ everybody: Int) {
            total = everybody + pending
        }
    }

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
        counts.append(Count(1, .team("attempts"), perTeam, isOfAll: true))
        counts.append(Count(units, .team("attempt-octets"), unitsPerTeam, isOfAll: true))
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
        let count = Count(Self.units(octets), .team("attempt-octets"), unitsPerTeam, isOfAll: true)
        _ = try await admits([count], team, store, now)
    }

    /// Counts a beginning that a backend brings which has proved itself, of whichever of its people; false when it is one too
    /// many of its team.
    func admit(backendOf team: TeamID, counting store: LimitStore, at now: Timestamp) async throws -> Bool {
        let key = Key(team: team, subject: .team("attempts"), isOfAll: true)
        return try await admits(1, of: key, within: perTeam, store, now)
    }

    private static func units(_ octets: Int) -> Int {
        (octets + unit - 1) / unit
    }

    private func senderCounts(_ address: IPAddress, beginnings: Int, units: Int) -> [Count] {
        let ip = address.description
        var counts = [
            Count(beginnings, .address("attempts", ip), perAddress),
            Count(units, .address("attempt-octets", ip), unitsPerAddress),
        ]
        if let site = LimitSubject.site("attempts", ip) { counts.append(Count(beginnings, site, perSite)) }
        if let site = LimitSubject.site("attempt-octets", ip) {
            counts.append(Count(units, site, unitsPerSite))
        }
        return counts
    }

    /// Counts one after the other, as far as they are within their limits.
    private func admits(
        _ counts: [Count],
        _ team: TeamID,
        _ store: LimitStore,
        _ now: Timestamp
    ) async throws -> Bool {
        for count in counts where count.amount > 0 {
            let key = Key(team: team, subject: count.subject, isOfAll: count.isOfAll)
            guard try await admits(count.amount, of: key, within: count.limit, store, now) else {
                return false
            }
        }
        return true
    }

    /// One of the counts of a beginning.
    private struct Count {
        let amount: Int
        let subject: LimitSubject
        let limit: Int
        let isOfAll: Bool

        init(_ amount: Int, _ subject: LimitSubject, _ limit: Int, isOfAll: Bool = false) {
            self.amount = amount
            self.subject = subject
            self.limit = limit
            self.isOfAll = isOfAll
        }
    }

    /// Counts a form that a person sends from the pages of their account; false when it is one too many.
    func admit(
        formOf person: Subject,
        team: TeamID,
        counting store: LimitStore,
        at now: Timestamp
    ) async throws -> Bool {
        let key = Key(team: team, subject: .account("account-forms", person.rawValue))
        return try await admits(1, of: key, within: formsPerPerson, store, now)
    }

    private func admits(
        _ amount: Int,
        of key: Key,
        within limit: Int,
        _ store: LimitStore,
        _ now: Timestamp
    ) async throws -> Bool {
        let due = state.withLock { state in
            let minute = now.seconds / Self.window
            if state.minute != minute { state = State(minute: minute) }
            // A flood of addresses is met by the team's cap, which is kept.
            if state.addresses.count > 200_000 { state.addresses = [:] }
            return state[key].count(amount, limit: limit)
        }
        if due > 0 {
            let total = try await share(due, key.subject, store, key.team, now)
            // A minute that is over meanwhile has taken its counts along.
            state.withLock { if $0.minute == now.seconds / Self.window { $0[key].learn(total) } }
        }
        return state.withLock { $0[key].total <= limit }
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
