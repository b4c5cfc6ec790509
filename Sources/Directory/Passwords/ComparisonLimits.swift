import Bytes
import Domain
import Postgres

/// Counts the passwords that are compared, right or wrong, for all nodes together.
///
/// A right one is no guess, and is taken back from what `GuessLimitStore` counts; yet it keeps a core busy for as long as
/// a wrong one, and whoever knows one password, their own for instance, can send it without end.
struct ComparisonLimits: Sendable {
    /// Of an account, and of each browser that is known to it, in a quarter of an hour: far more than anybody signs in, and
    /// two seconds of a core.
    static let perAccount = 100
    static let accountWindow = Duration.minutes(15)
    /// Of an address in a minute: as many as sign-ins may be begun there, so that no office behind one address signs in
    /// less; and six seconds of a core.
    static let perAddress = 300
    static let addressWindow = Duration.minutes(1)

    private let limits: LimitStore

    init(_ database: TeamDatabase) {
        limits = LimitStore(database)
    }

    /// A count and what it may come to.
    private struct Limited {
        let subject: LimitSubject
        let limit: Int
        let window: Duration
    }

    /// One that was counted, to be taken back where nothing was compared after all.
    struct Charge: Sendable {
        fileprivate let counts: [LimitStore.Count]
        /// How long to wait where it is one too many.
        let wait: Duration?
    }

    /// Counts one that is about to be compared.
    ///
    /// What a later count refuses is taken back from those before. The account comes last: what is refused to an address
    /// or a site counts against no account, else anybody could lock out anybody.
    func charge(
        _ counters: GuessCounters,
        from ip: String,
        in team: TeamID,
        at now: Timestamp
    ) async throws(PostgresFailure) -> Charge {
        var counts: [LimitStore.Count] = []
        for limited in Self.limits(counters, ip) {
            let count = try await limits.add(to: limited.subject, window: limited.window, in: team, at: now)
            guard count.value <= limited.limit else {
                try await limits.refund(counts, in: team)
                return Charge(counts: [], wait: count.endsAt - now)
            }
            counts.append(count)
        }
        return Charge(counts: counts, wait: nil)
    }

    /// Takes back one that was not compared after all.
    func refund(_ charge: Charge, in team: TeamID) async throws(PostgresFailure) {
        try await limits.refund(charge.counts, in: team)
    }

    private static func limits(_ counters: GuessCounters, _ ip: String) -> [Limited] {
        let site = LimitSubject.site("compared", ip).map {
            let limit = LimitSubject.addressesPerSite * perAddress
            return Limited(subject: $0, limit: limit, window: addressWindow)
        }
        return (site.map { [$0] } ?? []) + [
            Limited(subject: .address("compared", ip), limit: perAddress, window: addressWindow),
            Limited(
                subject: .account("compared", counters.account),
                limit: perAccount,
                window: accountWindow
            ),
        ]
    }
}
