import Domain
import Synchronization

/// Queue places of passwords to compare or check, limited per account and per network.
///
/// The pool shares its threads fairly between teams. No account may hold all places of its team, and no network all
/// places over all teams, else all other sign-ins would be rejected.
final class PasswordQueue: Sendable {
    /// Account and network that hold a place.
    struct Askers: Sendable {
        /// Nil for a new password that is checked, not compared.
        let account: String?
        /// Site of an IPv6 address, or an IPv4 address.
        let network: String

        init(account: String?, ip: String) {
            self.account = account
            network = LimitSubject.siteOrNetwork(ip)
        }
    }

    private struct Holder: Hashable {
        let team: TeamID
        let name: String
        let limit: Int
    }

    private let perAccount: Int
    private let perNetwork: Int
    private let held = Mutex<[Holder: Int]>([:])

    /// - Parameters:
    ///   - count: number of places; an account gets an eighth of them.
    ///   - share: divisor for the places of one network; a quarter, as for connections, suits an office that signs in
    ///     at once.
    init(_ count: Int, networkShare share: Int = 4) {
        perAccount = max(1, count / 8)
        perNetwork = max(1, count / share)
    }

    /// Takes a place until `leave`; returns false if the account or network holds too many already.
    func enter(_ askers: Askers, in team: TeamID) -> Bool {
        let holders = holders(askers, team)
        return held.withLock { held in
            guard holders.allSatisfy({ held[$0, default: 0] < $0.limit }) else { return false }
            for holder in holders { held[holder, default: 0] += 1 }
            return true
        }
    }

    func leave(_ askers: Askers, in team: TeamID) {
        let holders = holders(askers, team)
        held.withLock { held in
            for holder in holders {
                let rest = held[holder, default: 0] - 1
                held[holder] = rest > 0 ? rest : nil
            }
        }
    }

    private func holders(_ askers: Askers, _ team: TeamID) -> [Holder] {
        (askers.account.map { [Holder(team: team, name: $0, limit: perAccount)] } ?? []) + [
            Holder(team: .system, name: "network " + askers.network, limit: perNetwork)
        ]
    }
}
