import Directory
import Domain
import HTTP

// Counters of one process for the current minute.
extension InteractionLimits {
    /// Shares of a limit: a process adds its count to the shared counter after every share.
    private static let shares = 32

    struct State {
        var minute = 0
        /// Counters of addresses, sites, users and sessions.
        private var senders: [Key: Tally] = [:]
        /// Counters of whole teams.
        private var teams: [Key: Tally] = [:]

        private static let capacity = 200_000

        init(minute: Int = 0) { self.minute = minute }

        /// Adds to a counter; returns the amount to add to the shared counter now, or 0, and whether the count is
        /// within its limit so far.
        mutating func add(_ count: Count, of team: TeamID) -> (due: Int, isWithin: Bool) {
            let key = Key(team: team, what: count.what, whose: count.whose)
            guard count.whose != .everybody else {
                return teams[key, default: Tally(limit: count.limit)].add(count.amount)
            }
            if senders.count > Self.capacity { forgetIdlest() }
            return senders[key, default: Tally(limit: count.limit)].add(count.amount)
        }

        /// Takes over the shared count, plus what this process counted since; returns whether it is within its limit.
        mutating func learn(_ everybody: Int, for count: Count, of team: TeamID) -> Bool {
            let key = Key(team: team, what: count.what, whose: count.whose)
            guard count.whose != .everybody else {
                return teams[key, default: Tally(limit: count.limit)].learn(everybody) <= count.limit
            }
            return senders[key, default: Tally(limit: count.limit)].learn(everybody) <= count.limit
        }

        /// Removes the half of the senders that have used the fewest shares of their limits.
        ///
        /// A removed sender has one share again before the shared counter is read. So a sender that has used up its
        /// limit regains nothing by a flood of other senders, in whatever team. Two passes suffice, without sorting,
        /// and half the capacity must be added before the next removal.
        private mutating func forgetIdlest() {
            var leaving = [Int](repeating: 0, count: InteractionLimits.shares + 1)
            for tally in senders.values { leaving[tally.sharesUsed] += 1 }
            var rest = senders.count / 2
            for used in leaving.indices {
                leaving[used] = min(leaving[used], rest)
                rest -= leaving[used]
            }
            senders = senders.filter { entry in
                let used = entry.value.sharesUsed
                guard leaving[used] > 0 else { return true }
                leaving[used] -= 1
                return false
            }
        }
    }

    /// Quantity that is counted.
    enum What {
        case beginnings
        case octets
        case forms
    }

    /// Owner of a count.
    enum Whose: Hashable {
        /// IPv4 address or IPv6 network.
        case address(IPAddress)
        case site(IPAddress)
        case person(Subject)
        case session(SessionID)
        case everybody
    }

    private struct Key: Hashable {
        let team: TeamID
        let what: What
        let whose: Whose
    }

    /// One of the counts of a request.
    struct Count {
        let amount: Int
        let what: What
        let whose: Whose
        let limit: Int

        init(_ amount: Int, _ what: What, _ whose: Whose, limit: Int) {
            (self.amount, self.what, self.whose, self.limit) = (amount, what, whose, limit)
        }

        /// Name of the counter in the database, built for one request of many.
        var subject: LimitSubject {
            let kind: StaticString =
                switch what {
                case .beginnings: "attempts"
                case .octets: "attempt-octets"
                case .forms: "account-forms"
                }
            return switch whose {
            case .address(let network): .address(kind, network.description)
            case .site(let site): .site(kind, site.description) ?? .address(kind, site.description)
            case .person(let person): .account(kind, person.rawValue)
            case .session(let session): .account("session-forms", session.text)
            case .everybody: .team(kind)
            }
        }
    }

    /// State of one counter.
    private struct Tally {
        let limit: Int
        /// Count of all processes, as far as this process knows it.
        var total = 0
        /// Count of this process that the shared counter does not include yet.
        var pending = 0

        /// Number of shares of the limit that are used; all of them at the limit.
        var sharesUsed: Int { total < limit ? total * InteractionLimits.shares / limit : InteractionLimits.shares }

        mutating func add(_ amount: Int) -> (due: Int, isWithin: Bool) {
            total += amount
            pending += amount
            let share = max(1, limit / InteractionLimits.shares)
            guard pending >= share, total <= limit + share else { return (0, total <= limit) }
            defer { pending = 0 }
            return (pending, total <= limit)
        }

        mutating func learn(_ everybody: Int) -> Int {
            total = everybody + pending
            return total
        }
    }
}
