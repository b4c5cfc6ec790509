import Bytes
public import Domain
public import HTTPClient
public import Jobs

/// Delivers notices: what the worker of jobs does with each.
public struct NoticeDelivery: Sendable {
    private static let deadline = Duration.seconds(15)
    /// Seconds that a server may put us off for.
    private static let longestPause = 86_400

    let context: EngineContext
    let database: TeamDatabase
    let teams: TeamCache
    let client: HTTPClient
    let turns: NoticeTurns
    let allowsLoopback: Bool

    /// - Parameter allowsLoopback: whether servers of this machine may be told: those of sandbox teams, where the
    ///   installation lets them.
    public init(
        context: EngineContext,
        database: TeamDatabase,
        teams: TeamCache,
        client: HTTPClient,
        allowsLoopback: Bool
    ) {
        self.context = context
        self.database = database
        self.teams = teams
        self.client = client
        turns = NoticeTurns(database)
        self.allowsLoopback = allowsLoopback
    }

    /// Has a worker deliver notices.
    public func register(in handlers: inout JobHandlers) {
        handlers.register(NoticeJob.self) { job, run in try await deliver(job, run) }
    }

    private func deliver(_ job: NoticeJob, _ run: JobRun) async throws -> JobOutcome {
        let store = NoticeDeliveryStore(database: database)
        guard let id = NoticeID(rawValue: job.notice),
            var letter = try await store.letter(id, in: run.team),
            let team = try await teams.snapshot(of: run.team)
        else { return .refused("the notice is not waiting any more") }
        if let wait = try await turns.wait(for: letter, in: run.team, at: context.clock()) {
            return .postponed(wait)
        }
        if let spelling = job.spelling { letter.accountDeleteEvent = spelling }
        let (attempts, pause) = try await send(letter, copies: job.copies ?? 1, of: team)
        let (isDelivered, summary) = (attempts.allSatisfy(\.isDelivery), attempts.last?.summary ?? "")
        let isFinal = run.isLast || letter.url == nil
        let state: NoticeState = isDelivered ? .delivered : isFinal ? .dead : .pending
        return try await database.transaction(in: run.team) { transaction in
            for attempt in attempts {
                try await store.record(attempt, of: id, state: state, in: run.team, transaction)
            }
            switch state {
            case .delivered: return try await run.succeed(nil, transaction)
            case .dead: return .refused(summary)
            case .pending:
                return pause.map { .retry(after: $0, summary) } ?? .failed(summary)
            }
        }
    }

    /// Sends the letter so often, as long as it is taken.
    private func send(
        _ letter: NoticeLetter,
        copies: Int,
        of team: TeamSnapshot
    ) async throws -> (attempts: [NoticeAttempt], pause: Duration?) {
        var attempts: [NoticeAttempt] = []
        for _ in 0..<max(1, copies) {
            let (attempt, pause) = try await send(letter, of: team)
            attempts.append(attempt)
            guard attempt.isDelivery else { return (attempts, pause) }
        }
        return (attempts, nil)
    }

    /// Sends the letter once.
    ///
    /// - Returns: what came of it, and how long the server asks us to wait.
    private func send(
        _ letter: NoticeLetter,
        of team: TeamSnapshot
    ) async throws -> (NoticeAttempt, pause: Duration?) {
        let start = context.clock()
        guard let url = letter.url else {
            return (attempt(start, "", .failed(.addressMissing)), nil)
        }
        let body = try letter.body(of: team, base: context.base(of: team.id), at: start)
        do throws(ClientFailure) {
            let response = try await client.send(request(to: url, body, of: team))
            let excerpt = NoticeAttempt.excerpt(of: response.body)
            let pause = response["Retry-After"].flatMap { Int($0) }.map {
                Duration.seconds(min(max($0, 0), Self.longestPause))
            }
            return (attempt(start, url, .answered(status: response.status), excerpt), pause)
        } catch {
            return (attempt(start, url, .failed(NoticeAttempt.Problem(error))), nil)
        }
    }

    private func request(to url: String, _ body: [UInt8], of team: TeamSnapshot) -> ClientRequest {
        ClientRequest(
            "POST",
            url,
            fields: [("Content-Type", "application/json")],
            body: body,
            deadline: Self.deadline,
            bodyLimit: 256 * 1024,
            addresses: allowsLoopback && team.isSandbox ? .publicAndLoopback : .publicOnly
        )
    }

    private func attempt(
        _ start: Timestamp,
        _ url: String,
        _ result: NoticeAttempt.Result,
        _ excerpt: String = ""
    ) -> NoticeAttempt {
        NoticeAttempt(
            at: start,
            url: url,
            result: result,
            milliseconds: Int((context.clock() - start).microseconds / 1000),
            excerpt: excerpt
        )
    }
}
