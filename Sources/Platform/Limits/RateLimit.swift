public import Core
public import Postgres

/// A limit on how often something may happen within a window, counted for each key by all processes together.
///
/// Which limits there are stands in `RateLimit+Table.swift`, each under a name of its own.
public struct RateLimit: Hashable, Sendable {
    /// Kind of key that a limit counts by.
    public enum Scope: String, Sendable {
        case network
        case account
        case session
        case signIn = "sign-in"
        case client
        case recipient
        case host
        case team
        case cause
    }

    /// Name in the database, in metrics and in the options of `serve`.
    public let name: String
    /// What it limits, in a few words for operators.
    public let subject: String
    public let scopes: [Scope]
    /// Most uses within a window, unless an option of `serve` sets another number.
    public let count: Int
    public let window: Duration
    /// Whether operators may set another number.
    public let isAdjustable: Bool

    init(
        _ name: String, _ subject: String, _ count: Int, per window: Duration, by scopes: Scope...,
        isAdjustable: Bool = false
    ) {
        self.name = name
        self.subject = subject
        self.scopes = scopes
        self.count = count
        self.window = window
        self.isAdjustable = isAdjustable
    }

    public static func == (left: RateLimit, right: RateLimit) -> Bool { left.name == right.name }

    public func hash(into hasher: inout Hasher) { hasher.combine(name) }

    /// Latest end of a window in which something counted at `now`, by clocks that differ by a minute.
    func latestEnd(at now: Timestamp) -> Timestamp { now + window + .minutes(1) }

    /// One or more uses of a limit under a key.
    public struct Use: Hashable, Sendable {
        public let limit: RateLimit
        let key: LimitKey
        let amount: Int

        public init(_ limit: RateLimit, by key: LimitKey, _ amount: Int = 1) {
            self.limit = limit
            self.key = key
            // Far beyond any limit, so that no count overflows.
            self.amount = min(amount, Self.most)
        }

        /// All uses of the limit in the current window, to be released.
        public static func all(of limit: RateLimit, by key: LimitKey) -> Use { Use(limit, by: key, most) }

        static let most = 1_000_000

        /// Uses by one mail: of its recipient, its sender and its team.
        public static func mail(to recipient: LimitKey, by sender: LimitKey) -> [Use] {
            [Use(.mailBySender, by: sender), Use(.mailToRecipient, by: recipient), Use(.mailOfTeam, by: .team)]
        }

        /// Key of the row in the table of limits.
        var row: String { "\(limit.name).\(key.stored)" }
    }
}

/// A limit is exceeded: the request is answered 429, and what it asked for is not done.
public struct TooManyRequests: Error, Hashable, Sendable {
    public let limit: RateLimit
    /// Time until the window ends.
    public let wait: Duration

    public init(limit: RateLimit, wait: Duration) { (self.limit, self.wait) = (limit, wait) }

    /// The wait in whole seconds, for `Retry-After` (RFC 9110 section 10.2.3).
    public var retryAfter: Int { max(1, Int(wait.components.seconds) + (wait.components.attoseconds > 0 ? 1 : 0)) }
}

extension Duration {
    static func minutes(_ count: Int) -> Duration { .seconds(60 * count) }
    static func hours(_ count: Int) -> Duration { .seconds(3600 * count) }
}

// All rate limits. A new one needs a decision record.
extension RateLimit {
    /// Requests without a session that store or hash something: sign-ins that begin or return from a provider,
    /// passwords that are tried, registrations, recoveries, and notifications that cannot be verified.
    ///
    /// A sign-in takes two of them with a password and four by way of Apple: 750 people a minute may come from one network.
    public static let unauthenticatedWrites = RateLimit(
        "unauthenticated-writes", "requests without a session that store something", 3000, per: .minutes(1),
        by: .network, isAdjustable: true)

    /// Wrong passwords and codes of an account; a browser known to the account has its own count.
    public static let failedProofs = RateLimit(
        "failed-proofs", "wrong passwords and codes of an account", 10, per: .minutes(15), by: .account,
        isAdjustable: true)

    public static let failedProofsOfNetwork = RateLimit(
        "failed-proofs-of-network", "wrong passwords of all accounts from a network", 50, per: .minutes(15),
        by: .network, isAdjustable: true)

    /// Wrong codes in one sign-in, or one session that proves a second factor again.
    public static let failedCodes = RateLimit(
        "failed-codes", "wrong codes in one sign-in", 5, per: .minutes(15), by: .signIn)

    public static let mailToRecipient = RateLimit(
        "mail-to-recipient", "mail to one address", 5, per: .hours(1), by: .recipient)

    /// Mail that a member, a user or an unauthenticated network causes; a school class registers behind one address.
    public static let mailBySender = RateLimit(
        "mail-by-sender", "mail that one account or network causes", 120, per: .hours(1), by: .account, .network,
        isAdjustable: true)

    public static let mailOfTeam = RateLimit("mail-of-team", "mail of a team", 5000, per: .hours(1), by: .team)

    /// Checks of domains and mail records, tests at Apple, check-ups and test notifications.
    public static let probes = RateLimit(
        "probes", "checks and tests that call other servers", 30, per: .minutes(1), by: .team)

    public static let unverifiedHost = RateLimit(
        "unverified-host", "notifications to a host that its team has not verified", 40, per: .minutes(1), by: .host)

    /// Changes in the console or on a person's own page.
    ///
    /// What only ends sessions counts for the session that sends it.
    public static let changes = RateLimit(
        "changes", "changes by one account", 600, per: .minutes(10), by: .account, .session)

    public static let changesOfTeam = RateLimit(
        "changes-of-team", "changes by all accounts of a team", 3600, per: .minutes(10), by: .team)

    /// Exports, verifications of the audit log, signing keys and logos.
    public static let heavyWork = RateLimit(
        "heavy-work", "exports, verifications, signing keys and logos", 10, per: .minutes(5), by: .team, .account)

    /// Native sign-ins that failed or are under way; each may cost a call to Apple.
    public static let failedHandovers = RateLimit(
        "failed-handovers", "native sign-ins that fail", 60, per: .minutes(1), by: .client, .network, .account,
        isAdjustable: true)

    /// Events kept for the inspector; further ones are only counted.
    ///
    /// Each process counts for itself.
    public static let traceEvents = RateLimit(
        "trace-events", "events of sign-ins kept for a team", 6000, per: .minutes(1), by: .team)

    public static let traceEventsOfCause = RateLimit(
        "trace-events-of-cause", "events kept for a team and cause of failure", 60, per: .minutes(1), by: .cause)

    /// Events that a network causes without signing in, so that none fills the disk.
    public static let traceEventsOfNetwork = RateLimit(
        "trace-events-of-network", "events kept of a network that does not sign in", 300, per: .hours(1), by: .network)

    /// Changes that make an event loop read a team's registry anew at once; beyond them it reads it every 0.4 s.
    ///
    /// Each loop counts for itself.
    public static let registryReloads = RateLimit(
        "registry-reloads", "changes of a team's registry that are read at once", 8, per: .seconds(3), by: .team)

    /// All of them, in the order of `docs/limits.md`.
    public static let all = [
        unauthenticatedWrites, failedProofs, failedProofsOfNetwork, failedCodes, mailToRecipient, mailBySender,
        mailOfTeam, probes, unverifiedHost, changes, changesOfTeam, heavyWork, failedHandovers, traceEvents,
        traceEventsOfCause, traceEventsOfNetwork, registryReloads,
    ]
}

extension TeamDatabase {
    /// Counts uses of limits, in one statement for all of them, or none where this process has the count.
    ///
    /// Counts are not durable: a crash of the database server may lose the last moments.
    ///
    /// - Throws: `TooManyRequests` for the first limit that is exceeded, `PostgresFailure`.
    public func count(_ uses: [RateLimit.Use], in team: TeamID, at now: Timestamp) async throws {
        let due = try limits.add(uses, in: team, at: now)
        guard !due.isEmpty else { return }
        let counts: [String: (count: Int, endsAt: Timestamp)]
        do throws(PostgresFailure) { counts = try await add(due, in: team, at: now) } catch {
            for use in due { try limits.learn(nil, of: use, in: team, at: now) }
            throw error
        }
        var refused: (row: String, error: TooManyRequests)?
        for use in due {
            do throws(TooManyRequests) { try limits.learn(counts[use.row], of: use, in: team, at: now) } catch {
                refused = refused ?? (use.row, error)
            }
        }
        guard let refused else { return }
        // A request that is refused for one key uses up nothing of the others: a network locks no account.
        try await release(uses.filter { $0.row != refused.row }, in: team, at: now)
        throw refused.error
    }

    /// Counts uses of limits; false if one of them is exceeded.
    ///
    /// - Throws: `PostgresFailure`.
    public func isWithin(_ uses: [RateLimit.Use], in team: TeamID, at now: Timestamp) async throws -> Bool {
        do {
            try await count(uses, in: team, at: now)
            return true
        } catch is TooManyRequests { return false }
    }

    /// Takes back uses that were counted, such as a proof that was right, in the window in which they were counted.
    ///
    /// - Parameter now: when they were counted.
    public func release(_ uses: [RateLimit.Use], in team: TeamID, at now: Timestamp) async throws(PostgresFailure) {
        let due = limits.remove(uses, in: team, at: now)
        guard !due.isEmpty else { return }
        // Rows are locked in one order, so that two statements do not deadlock.
        try await query(
            """
            UPDATE limits SET count = GREATEST(limits.count - released.amount, 0)
            FROM (
                SELECT known.subject, given.amount
                FROM limits AS known
                JOIN unnest(
                    \(due.map(\.row)), \(due.map { String($0.amount) })::integer[],
                    \(due.map { $0.limit.latestEnd(at: now).precise })::timestamptz[]
                ) AS given (subject, amount, latest) ON known.subject = given.subject
                WHERE known.team_id = \(team) AND known.window_ends_at > \(now)
                    AND known.window_ends_at <= given.latest
                ORDER BY known.subject FOR NO KEY UPDATE OF known
            ) AS released
            WHERE limits.team_id = \(team) AND limits.subject = released.subject
            """, in: team, durability: .relaxed)
    }

    /// Adds to the counts in the database, and returns them by their rows.
    private func add(_ uses: [RateLimit.Use], in team: TeamID, at now: Timestamp) async throws(PostgresFailure)
        -> [String: (count: Int, endsAt: Timestamp)]
    {
        var counts: [String: (count: Int, endsAt: Timestamp)] = [:]
        for var row in try await query(Self.addition(of: uses, in: team, at: now), in: team, durability: .relaxed) {
            counts[try row.next(String.self)] = (try row.next(), try row.next())
        }
        return counts
    }

    /// The first use in a window opens it.
    ///
    /// A window that ends much later than one opened now was opened by a clock that was ahead, and is opened anew.
    private static func addition(of uses: [RateLimit.Use], in team: TeamID, at now: Timestamp) -> SQL {
        let isOver: SQL = """
            (known.window_ends_at <= \(now) OR known.window_ends_at > excluded.window_ends_at + interval '1 minute')
            """
        return """
            INSERT INTO limits AS known (team_id, subject, window_ends_at, count)
            SELECT \(team), subject, ends_at, amount
            FROM unnest(
                \(uses.map(\.row)), \(uses.map { (now + $0.limit.window).precise })::timestamptz[],
                \(uses.map { String($0.amount) })::integer[]
            ) AS given (subject, ends_at, amount)
            ORDER BY subject
            ON CONFLICT (team_id, subject) DO UPDATE SET
                count = CASE WHEN \(isOver) THEN excluded.count
                    ELSE LEAST(known.count, \(RateLimit.Use.most)) + excluded.count END,
                window_ends_at = CASE WHEN \(isOver) THEN excluded.window_ends_at ELSE known.window_ends_at END
            RETURNING subject, count, window_ends_at
            """
    }
}
