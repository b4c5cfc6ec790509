import Domain
import Synchronization

/// The places in which passwords wait to be compared, or judged, as far as one account or one network holds them.
///
/// Teams take turns by the pool's own measure. Within a team no account may hold all places, and over all teams no network,
/// else everybody else who signs in were refused.
final class PasswordPlaces: Sendable {
    /// For whom one is compared.
    struct Askers: Sendable {
        /// Nil for a password that is judged, not compared.
        let account: String?
        /// The site of an IPv6 address, an address of IPv4.
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
    ///   - count: how many there are. An account gets an eighth.
    ///   - share: which part a network gets; a quarter, as of the connections, is an office that signs in at once.
    init(_ count: Int, networkShare share: Int = 4) {
        perAccount = max(1, count / 8)
        perNetwork = max(1, count / share)
    }

    /// Takes a place, until `leave`; false where too many are held already.
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
