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

    private struct Count {
        let subject: LimitSubject
        let limit: Int
        let window: Duration
    }

    /// Counts one that is about to be compared; how long to wait where that is one too many.
    ///
    /// What a later count refuses is taken back from those before. The account comes last: what is refused to an address
    /// or a site counts against no account, else anybody could lock out anybody.
    func charge(
        _ counters: GuessCounters,
        from ip: String,
        in team: TeamID,
        at now: Timestamp
    ) async throws(PostgresFailure) -> Duration? {
        let counts = Self.counts(counters, ip)
        for (place, count) in counts.enumerated() {
            let wait = try await limits.charge(
                count.subject,
                limit: count.limit,
                window: count.window,
                in: team,
                at: now
            )
            guard let wait else { continue }
            try await limits.refund(counts[..<place].map(\.subject), in: team, at: now)
            return wait
        }
        return nil
    }

    /// Takes back one that was not compared after all.
    func refund(
        _ counters: GuessCounters,
        from ip: String,
        in team: TeamID,
        at now: Timestamp
    ) async throws(PostgresFailure) {
        try await limits.refund(Self.counts(counters, ip).map(\.subject), in: team, at: now)
    }

    private static func counts(_ counters: GuessCounters, _ ip: String) -> [Count] {
        let site = LimitSubject.site("compared", ip).map {
            Count(subject: $0, limit: LimitSubject.addressesPerSite * perAddress, window: addressWindow)
        }
        return (site.map { [$0] } ?? []) + [
            Count(subject: .address("compared", ip), limit: perAddress, window: addressWindow),
            Count(subject: .account("compared", counters.account), limit: perAccount, window: accountWindow),
        ]
    }
}
