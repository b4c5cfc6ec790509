public import Core
public import HTTP
public import Platform

/// Delivers notifications: the handler of delivery jobs.
public struct NotificationDelivery: Sendable {
    private static let deadline = Duration.seconds(15)
    /// Maximum time in seconds that a server can ask to wait.
    private static let longestPause = 86_400

    let server: ServerContext
    let database: TeamDatabase
    let teams: TeamCache
    let client: HTTPClient
    let turns: NotificationScheduler
    let allowsLoopback: Bool

    /// - Parameter allowsLoopback: whether sandbox teams may have servers on this machine notified.
    public init(
        server: ServerContext, database: TeamDatabase, teams: TeamCache, client: HTTPClient, allowsLoopback: Bool
    ) {
        self.server = server
        self.database = database
        self.teams = teams
        self.client = client
        turns = NotificationScheduler(database)
        self.allowsLoopback = allowsLoopback
    }

    /// Registers the handler of delivery jobs.
    public func register(in handlers: inout JobHandlers) {
        handlers.register(NotificationJob.self) { job, run in try await deliver(job, run) }
    }

    private func deliver(_ job: NotificationJob, _ run: JobRun) async throws -> JobOutcome {
        let store = NotificationDeliveryStore(database: database)
        guard let id = NotificationID(rawValue: job.notification), var token = try await store.token(id, in: run.team),
            let team = try await teams.snapshot(of: run.team)
        else { return .refused("the notification is not waiting any more") }
        if let wait = try await turns.wait(for: token, in: run.team, at: server.clock()) { return .postponed(wait) }
        if let spelling = job.spelling { token.accountDeleteEvent = spelling }
        let (attempts, pause) = try await send(token, copies: job.copies ?? 1, by: team)
        let (isDelivered, summary) = (attempts.allSatisfy(\.isDelivery), attempts.last?.summary ?? "")
        let isFinal = run.isLast || token.url == nil || attempts.last?.result == .failed(.copy)
        let state: NotificationState = isDelivered ? .delivered : isFinal ? .dead : .pending
        return try await database.transaction(in: run.team) { transaction in
            for attempt in attempts { try await store.record(attempt, of: id, state: state, in: run.team, transaction) }
            switch state {
            case .delivered: return try await run.succeed(nil, transaction)
            case .dead: return .refused(summary)
            case .pending: return pause.map { .retry(after: $0, summary) } ?? .failed(summary)
            }
        }
    }

    /// Sends the given number of copies, or stops at the first that is not delivered.
    private func send(_ token: NotificationToken, copies: Int, by team: TeamSnapshot) async throws -> (
        attempts: [DeliveryAttempt], pause: Duration?
    ) {
        var attempts: [DeliveryAttempt] = []
        for _ in 0..<max(1, copies) {
            let (attempt, pause) = try await send(token, by: team)
            attempts.append(attempt)
            guard attempt.isDelivery else { return (attempts, pause) }
        }
        return (attempts, nil)
    }

    /// Sends a notification once.
    ///
    /// - Returns: the attempt, and the time that the server asks to wait.
    private func send(_ token: NotificationToken, by team: TeamSnapshot) async throws -> (
        DeliveryAttempt, pause: Duration?
    ) {
        let start = server.clock()
        guard let url = token.url else { return (attempt(start, "", .failed(.addressMissing)), nil) }
        let body = try token.body(signedBy: team, base: server.base(of: team.id), at: start)
        do throws(ClientFailure) {
            let response = try await client.send(request(to: url, body, by: team))
            let excerpt = DeliveryAttempt.excerpt(of: response.body)
            let pause = response["Retry-After"].flatMap { Int($0) }.map {
                Duration.seconds(min(max($0, 0), Self.longestPause))
            }
            return (attempt(start, url, .answered(status: response.status), excerpt), pause)
        } catch { return (attempt(start, url, .failed(DeliveryAttempt.Problem(error))), nil) }
    }

    private func request(to url: String, _ body: [UInt8], by team: TeamSnapshot) -> ClientRequest {
        ClientRequest(
            "POST", url, fields: [("Content-Type", "application/json")], body: body, deadline: Self.deadline,
            bodyLimit: 256 * 1024, addresses: allowsLoopback && team.isSandbox ? .publicAndLoopback : .publicOnly)
    }

    private func attempt(_ start: Timestamp, _ url: String, _ result: DeliveryAttempt.Result, _ excerpt: String = "")
        -> DeliveryAttempt
    {
        DeliveryAttempt(
            at: start, url: url, result: result, milliseconds: Int((server.clock() - start).microseconds / 1000),
            excerpt: excerpt)
    }
}

/// Attempt to deliver a notification.
public struct DeliveryAttempt: Sendable {
    /// Reason for a missing answer; a closed list, for which pages have localized texts.
    public enum Problem: String, Sendable, CaseIterable {
        case addressMissing = "address_missing"
        case addressMalformed = "address_malformed"
        case addressRefused = "address_refused"
        case nameNotFound = "name_not_found"
        case cannotConnect = "cannot_connect"
        case untrusted
        case deadlinePassed = "deadline_passed"
        case malformedAnswer = "malformed_answer"
        case answerTooLong = "answer_too_long"
        case copy
        case other
    }

    /// Result of an attempt.
    public enum Result: Equatable, Sendable {
        case answered(status: Int)
        case failed(Problem)
    }

    /// Maximum length of the stored beginning of an answer, in Unicode scalars.
    static let excerptLength = 500

    public let at: Timestamp
    public let url: String
    public let result: Result
    public let milliseconds: Int
    /// The beginning of the answer, without control characters.
    public let excerpt: String

    /// Whether the status is 2xx; a redirect is no delivery, because it is not followed.
    var isDelivery: Bool { if case .answered(let status) = result { (200..<300).contains(status) } else { false } }

    /// Short form of the result, without any address, for operators.
    var summary: String {
        switch result {
        case .answered(let status): "status \(status)"
        case .failed(let problem): problem.rawValue
        }
    }

    /// Beginning of a body as text in one line.
    static func excerpt(of body: [UInt8]) -> String {
        let text = String(decoding: body.prefix(4 * excerptLength), as: UTF8.self)
        var line = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { line.append(scalar.properties.generalCategory == .control ? " " : scalar) }
        return String(line.prefix(excerptLength))
    }
}

extension DeliveryAttempt.Problem {
    init(_ failure: ClientFailure) {
        switch failure {
        case .malformedRequest: self = .addressMalformed
        case .addressRefused: self = .addressRefused
        case .nameNotFound: self = .nameNotFound
        case .cannotConnect: self = .cannotConnect
        case .untrusted: self = .untrusted
        case .deadlinePassed: self = .deadlinePassed
        case .malformedAnswer: self = .malformedAnswer
        case .bodyTooLong: self = .answerTooLong
        case .copy: self = .copy
        case .tooManyRedirects, .cancelled, .other: self = .other
        }
    }
}
