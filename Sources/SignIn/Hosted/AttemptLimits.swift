import Bytes
import Directory
import Domain
import HTTP
import Synchronization

/// How many sign-ins may be begun: per address and minute, and per team and minute, by all processes together.
///
/// A person begins a few; the caps keep a flood from filling the store. What each process counts is added up in the
/// database, a thirty-second of a limit at a time: whoever begins a few costs no statement, and a flood is met by
/// all processes at once. Each of them may let that much more pass, and nothing beyond.
public final class AttemptLimits: Sendable {
    private static let window = 60
    /// How much of a limit is counted here before it is added to what others count.
    private static let shares = 32

    private let perAddress: Int
    private let perTeam: Int
    private let state = Mutex(State())

    private struct State {
        var minute = 0
        var addresses: [AddressKey: Tally] = [:]
        var teams: [TeamID: Tally] = [:]
    }

    private struct AddressKey: Hashable {
        let team: TeamID
        let subject: LimitSubject
    }

    /// What is known of one count.
    private struct Tally {
        /// Everybody's, as far as it is known here.
        var total = 0
        /// Ours that nobody else knows of yet.
        var pending = 0

        /// Counts one; the amount to add to everybody's count now, or 0.
        mutating func count(limit: Int) -> Int {
            total += 1
            pending += 1
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

    public init(perAddress: Int = 300, perTeam: Int = 1_000_000) {
        self.perAddress = perAddress
        self.perTeam = perTeam
    }

    /// Counts one beginning; false when it is one too many.
    ///
    /// What is refused to an address does not count for its team, lest one address use up what is everybody's.
    func admit(
        _ address: IPAddress,
        team: TeamID,
        counting store: LimitStore,
        at now: Timestamp
    ) async throws -> Bool {
        guard try await admits(address, team, store, now) else { return false }
        return try await admits(team, store, now)
    }

    private func admits(
        _ address: IPAddress,
        _ team: TeamID,
        _ store: LimitStore,
        _ now: Timestamp
    ) async throws -> Bool {
        let key = AddressKey(team: team, subject: .address("attempts", address.description))
        let due = state.withLock { state in
            let minute = now.seconds / Self.window
            if state.minute != minute { state = State(minute: minute) }
            // A flood of addresses is met by the team's cap, which is kept.
            if state.addresses.count > 200_000 { state.addresses = [:] }
            return state.addresses[key, default: Tally()].count(limit: perAddress)
        }
        if due > 0 {
            let total = try await share(due, key.subject, store, team, now)
            state.withLock { $0.addresses[key]?.learn(total) }
        }
        return state.withLock { ($0.addresses[key]?.total ?? 0) <= perAddress }
    }

    private func admits(_ team: TeamID, _ store: LimitStore, _ now: Timestamp) async throws -> Bool {
        let due = state.withLock { $0.teams[team, default: Tally()].count(limit: perTeam) }
        if due > 0 {
            let total = try await share(due, .team("attempts"), store, team, now)
            state.withLock { $0.teams[team]?.learn(total) }
        }
        return state.withLock { ($0.teams[team]?.total ?? 0) <= perTeam }
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
