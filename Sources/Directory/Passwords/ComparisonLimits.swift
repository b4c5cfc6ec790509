import Bytes
import Domain
import Postgres

/// Limits on password comparisons, right or wrong, counted for all nodes together.
///
/// `GuessLimitStore` does not count right passwords, yet comparing one takes a core as long as a wrong one, and a
/// client that knows any password, such as its own, can send it without end.
struct ComparisonLimits: Sendable {
    /// Most comparisons per account, and per browser known to it, in a quarter of an hour: far more than users sign in,
    /// and two seconds of a core.
    static let perAccount = 100
    static let accountWindow = Duration.minutes(15)
    /// Most comparisons per network address in one minute.
    ///
    /// As many as sign-ins may begin there, so that no office behind one address is restricted; six seconds of a core.
    static let perAddress = 300
    static let addressWindow = Duration.minutes(1)

    private let limits: LimitStore

    init(_ database: TeamDatabase) { limits = LimitStore(database) }

    /// Counter with its limit and window.
    private struct Limited {
        let subject: LimitSubject
        let limit: Int
        let window: Duration
    }

    /// Counted comparison, to be released if nothing was compared.
    struct Charge: Sendable {
        fileprivate let counts: [LimitStore.Count]
        /// Time to wait if a limit is exceeded; otherwise nil.
        let wait: Duration?
    }

    /// Counts a comparison that is about to be made.
    ///
    /// If a later counter rejects it, the earlier counters are released. The account comes last: a request rejected for
    /// its address or site does not count against the account, else any client could lock any account.
    func charge(_ counters: GuessCounters, from ip: String, in team: TeamID, at now: Timestamp)
        async throws(PostgresFailure) -> Charge
    {
        var counts: [LimitStore.Count] = []
        for limited in Self.limits(counters, ip) {
            let count = try await limits.add(to: limited.subject, window: limited.window, in: team, at: now)
            guard count.value <= limited.limit else {
                try await limits.release(counts, in: team)
                return Charge(counts: [], wait: count.endsAt - now)
            }
            counts.append(count)
        }
        return Charge(counts: counts, wait: nil)
    }

    /// Releases a comparison that was not made.
    func release(_ charge: Charge, in team: TeamID) async throws(PostgresFailure) {
        try await limits.release(charge.counts, in: team)
    }

    private static func limits(_ counters: GuessCounters, _ ip: String) -> [Limited] {
        let site = LimitSubject.site("compared", ip).map {
            let limit = LimitSubject.addressesPerSite * perAddress
            return Limited(subject: $0, limit: limit, window: addressWindow)
        }
        return (site.map { [$0] } ?? []) + [
            Limited(subject: .address("compared", ip), limit: perAddress, window: addressWindow),
            Limited(subject: .account("compared", counters.account), limit: perAccount, window: accountWindow),
        ]
    }
}
