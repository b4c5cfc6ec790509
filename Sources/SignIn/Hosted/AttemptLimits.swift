import Domain
import EventLoop
import HTTP
import Synchronization

/// How many sign-ins may be begun: per address and minute, and per team and minute, in this process.
///
/// A person begins a few; the caps keep a flood from filling the store. Counted in fixed windows of a minute.
public final class AttemptLimits: Sendable {
    private let perAddress: Int
    private let perTeam: Int
    private let state = Mutex(State())

    private struct State {
        var minute: Int64 = 0
        var addresses: [AddressKey: Int] = [:]
        var teams: [TeamID: Int] = [:]
    }

    private struct AddressKey: Hashable {
        let team: TeamID
        let address: IPAddress
    }

    public init(perAddress: Int = 300, perTeam: Int = 1_000_000) {
        self.perAddress = perAddress
        self.perTeam = perTeam
    }

    /// Counts one beginning; false when it is one too many.
    func admit(_ address: IPAddress, team: TeamID) -> Bool {
        let minute = MonotonicTime.now() / 60_000_000_000
        return state.withLock { state in
            if state.minute != minute { state = State(minute: minute) }
            // A flood of addresses is met by the team's cap, which is kept.
            if state.addresses.count > 200_000 { state.addresses = [:] }
            let key = AddressKey(team: team, address: address.subscriber)
            state.addresses[key, default: 0] += 1
            state.teams[team, default: 0] += 1
            return (state.addresses[key] ?? 0) <= perAddress && (state.teams[team] ?? 0) <= perTeam
        }
    }
}
