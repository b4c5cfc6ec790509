public import HTTP
public import Platform
import Postgres

/// Checks of a team's domains and email sources, whose results are stored.
///
/// Must be used on the event loop of its client and its resolver.
public struct RegistryChecks: Sendable {
    /// Maximum number of domains, and of email sources, in one turn of a team, all at once; the others stay due.
    static let batch = 8

    private let domains: DomainStore
    private let emailSources: EmailSourceStore
    /// Client for addresses that teams name, and for no others; each call has the team as its owner.
    public let client: HTTPClient
    private let resolver: Resolver
    /// Whether the operator allows sandbox teams to use loopback addresses of this machine.
    public let allowsLoopback: Bool
    private let deadlines: (domain: Duration, source: Duration)

    /// - Parameters:
    ///   - client: a client for addresses that teams name, and no others: their servers may occupy all its connections.
    ///   - allowsLoopback: whether the operator allows sandbox teams to use loopback addresses of this machine.
    ///   - deadlines: time limits for the check of a domain and for each lookup of an email source.
    public init(
        _ database: TeamDatabase, client: HTTPClient, resolver: Resolver, allowsLoopback: Bool,
        deadlines: (domain: Duration, source: Duration) = (.seconds(10), .seconds(8))
    ) {
        domains = DomainStore(database)
        emailSources = EmailSourceStore(database)
        self.client = client
        self.resolver = resolver
        self.allowsLoopback = allowsLoopback
        self.deadlines = deadlines
    }

    /// Requests the association file of a domain and stores the finding.
    ///
    /// - Returns: the updated domain, or nil when the team no longer has it.
    public func check(_ domain: RegisteredDomain, in team: TeamID, by actor: Actor, from origin: Origin) async throws
        -> RegisteredDomain?
    {
        let check = DomainCheck(
            client, for: team, allowsLoopback: allowsLoopback && domain.isOfSandbox, deadline: deadlines.domain)
        let finding = await check.run(domain.associationURL, expecting: domain.file)
        return try await domains.note(finding, of: domain.name, in: team, by: actor, from: origin)
    }

    /// Looks up the mail records of an email source and stores them.
    ///
    /// - Returns: the updated source, or nil when the team no longer has it.
    public func check(_ source: RegisteredEmailSource, in team: TeamID) async throws -> RegisteredEmailSource? {
        let records = await MailRecordCheck(resolver, deadline: deadlines.source).run(source)
        return try await emailSources.note(records, of: source.source, in: team)
    }

    /// Checks up to `batch` domains and `batch` email sources of the team that are due.
    ///
    /// - Returns: whether more may be due.
    public func checkDue(in team: TeamID) async throws -> Bool {
        let domains = try await domains.takeDue(limit: Self.batch, in: team)
        let sources = try await emailSources.takeDue(limit: Self.batch, in: team)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for domain in domains {
                group.addTask { _ = try await check(domain, in: team, by: .system("domain check"), from: .local) }
            }
            for source in sources { group.addTask { _ = try await check(source, in: team) } }
            try await group.waitForAll()
        }
        return domains.count == Self.batch || sources.count == Self.batch
    }
}

/// Finds the teams with due checks; reads only the team's id and the time.
struct RegistryCheckStore: Sendable {
    private let database: SystemDatabase

    init(_ database: SystemDatabase) { self.database = database }

    /// Teams with due checks, longest overdue first.
    ///
    /// Deleted teams are left out.
    func dueTeams(limit: Int) async throws(PostgresFailure) -> [TeamID] {
        let rows = try await database.query(
            """
            SELECT due.team_id
            FROM (
                SELECT team_id, min(check_due_at) AS since FROM domains
                WHERE check_due_at <= now() GROUP BY team_id
                UNION ALL
                SELECT team_id, min(check_due_at) FROM email_sources
                WHERE check_due_at <= now() GROUP BY team_id
            ) AS due
            JOIN teams AS t ON t.team_id = due.team_id AND t.deleted_at IS NULL
            GROUP BY due.team_id
            ORDER BY min(due.since)
            LIMIT \(limit)
            """)
        return try rows.column()
    }
}

/// Periodic check of all domains and email sources that are due, over all teams.
public struct RegistryCheckRound: Sendable {
    /// Time between two rounds.
    public static let interval = Duration.seconds(60)
    /// Maximum number of teams in one round; the others follow in the next.
    private static let batch = 200
    private static let turns = Scheduler(width: 16, turnsPerTeam: 12)

    private let store: RegistryCheckStore
    private let checks: RegistryChecks

    public init(_ database: SystemDatabase, _ checks: RegistryChecks) {
        store = RegistryCheckStore(database)
        self.checks = checks
    }

    /// Checks what is due; may run in several processes, because each takes other domains and sources.
    ///
    /// A server may accept a connection and never answer: a turn lasts up to the deadline of its slowest check, and a
    /// team with many such servers waits behind all other teams for its next turn.
    public func run() async throws {
        try await Self.turns.give(to: try await store.dueTeams(limit: Self.batch)) { team in
            try await checks.checkDue(in: team)
        }
    }
}

extension RegistryCheckRound {
    /// A scheduler that gives teams turns at work of unknown duration.
    ///
    /// `width` teams have a turn at a time; a team that wants another turn waits behind all teams that had none.
    struct Scheduler: Sendable {
        /// A turn that has ended.
        ///
        /// Not a tuple with a `Result`, because optimized Swift 6.3 code copied such a tuple wrongly out of a task group.
        private struct Turn: Sendable {
            let team: TeamID
            let wantsAnother: Bool
            let failure: (any Error)?
        }

        /// Number of teams at a time.
        let width: Int
        /// Maximum number of turns per team; remaining work is left for another run.
        let turnsPerTeam: Int

        /// - Parameter turn: does some work of a team; returns whether the team wants another turn.
        /// - Throws: the first error, after all turns: an error of one team does not end the turns of the others.
        func give(to teams: [TeamID], _ turn: @escaping @Sendable (TeamID) async throws -> Bool) async throws {
            var waiting = teams[...]
            var turns: [TeamID: Int] = [:]
            var failure: (any Error)?
            await withTaskGroup(of: Turn.self) { group in
                var underWay = 0
                while underWay > 0 || !waiting.isEmpty {
                    while underWay < width, let team = waiting.popFirst() {
                        underWay += 1
                        group.addTask {
                            do { return Turn(team: team, wantsAnother: try await turn(team), failure: nil) } catch {
                                return Turn(team: team, wantsAnother: false, failure: error)
                            }
                        }
                    }
                    guard let ended = await group.next() else { return }
                    underWay -= 1
                    turns[ended.team, default: 0] += 1
                    failure = failure ?? ended.failure
                    if ended.wantsAnother, turns[ended.team, default: 0] < turnsPerTeam { waiting.append(ended.team) }
                }
            }
            if let failure { throw failure }
        }
    }
}
