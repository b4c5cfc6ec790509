import Directory
import Domain
import HTTP

// What a process knows of the counts of one minute.
extension AttemptLimits {
    /// How much of a limit is counted here before it is added to what others count.
    private static let shares = 32

    struct State {
        var minute = 0
        /// Of addresses, sites and people.
        private var senders: [Key: Tally] = [:]
        /// Of whole teams.
        private var teams: [Key: Tally] = [:]

        private static let capacity = 200_000

        init(minute: Int = 0) {
            self.minute = minute
        }

        /// Counts so many; the amount to add to everybody's count now, or 0, and whether it is within its limit so far.
        mutating func add(_ count: Count, of team: TeamID) -> (due: Int, isWithin: Bool) {
            let key = Key(team: team, what: count.what, whose: count.whose)
            guard count.whose != .everybody else {
                return teams[key, default: Tally(limit: count.limit)].add(count.amount)
            }
            if senders.count > Self.capacity { forgetIdlest() }
            return senders[key, default: Tally(limit: count.limit)].add(count.amount)
        }

        /// Takes over everybody's count, to which ours since then are to be added; whether it is within its limit.
        mutating func learn(_ everybody: Int, for count: Count, of team: TeamID) -> Bool {
            let key = Key(team: team, what: count.what, whose: count.whose)
            guard count.whose != .everybody else {
                return teams[key, default: Tally(limit: count.limit)].learn(everybody) <= count.limit
            }
            return senders[key, default: Tally(limit: count.limit)].learn(everybody) <= count.limit
        }

        /// Makes room for others.
        ///
        /// Who is forgotten has a share of their limit again before everybody's count is asked; so it is the half that has
        /// used least of theirs. Whoever has used theirs up gets nothing back by many others who come, at whatever
        /// team. Each is looked at twice and none sorted, and half as many have to come before the next time.
        private mutating func forgetIdlest() {
            var leaving = [Int](repeating: 0, count: AttemptLimits.shares + 1)
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

    /// What is counted.
    enum What {
        case beginnings
        case octets
        case forms
    }

    /// Whose count it is.
    enum Whose: Hashable {
        /// An address of IPv4, or a network of IPv6.
        case address(IPAddress)
        case site(IPAddress)
        case person(Subject)
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

        /// Its name in the database, put together for one request of many.
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
            case .everybody: .team(kind)
            }
        }
    }

    /// What is known of one count.
    private struct Tally {
        let limit: Int
        /// Everybody's, as far as it is known here.
        var total = 0
        /// Ours that nobody else knows of yet.
        var pending = 0

        /// How many shares of its limit are used up; all of them where nothing is left.
        var sharesUsed: Int {
            total < limit ? total * AttemptLimits.shares / limit : AttemptLimits.shares
        }

        mutating func add(_ amount: Int) -> (due: Int, isWithin: Bool) {
            total += amount
            pending += amount
            let share = max(1, limit / AttemptLimits.shares)
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
