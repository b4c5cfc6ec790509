import Core
import Directory
public import OAuth
public import Platform
import Postgres

/// Background jobs that revoke and validate the tokens issued by a provider.
public struct UpstreamTokenWork: Sendable {
    let provider: any UpstreamTokenService
    let server: ServerContext
    let database: TeamDatabase
    let teams: TeamCache
    let revocations: UpstreamTokenRevocationStore
    let validations: UpstreamValidationStore

    public init(
        _ provider: any UpstreamTokenService, server: ServerContext, database: TeamDatabase, teams: TeamCache,
        accounts: any UpstreamAccounts
    ) {
        self.provider = provider
        self.server = server
        self.database = database
        self.teams = teams
        revocations = UpstreamTokenRevocationStore(database, server: server, accounts: accounts)
        validations = UpstreamValidationStore(database)
    }

    /// Registers the handlers of jobs that revoke tokens, validate them, and ask about an event.
    public func register(in handlers: inout JobHandlers) {
        handlers.register(UpstreamRevocation.self) { job, run in try await revoke(job, run) }
        handlers.register(UpstreamValidation.self) { job, run in try await validate(job, run) }
        handlers.register(UpstreamQuestion.self) { job, run in try await answer(job, run) }
    }

    /// Revokes a token at the provider, possibly twice if a process died; the receipt is written once, with the job's
    /// end.
    ///
    /// A token whose revocation was given up is tried, too, because its job runs again only on request. If the user has
    /// signed in again meanwhile there is no call: it would end the whole authorization (Apple, "Revoke tokens"),
    /// including that of the new sign-in.
    private func revoke(_ job: UpstreamRevocation, _ run: JobRun) async throws -> JobOutcome {
        guard let id = UpstreamTokenID(rawValue: job.token),
            let token = try await revocations.find(id.octets, in: [.ending, .refused], of: run.team),
            let team = try await teams.snapshot(of: run.team, evenClosed: true)
        else { return .succeeded(["fate": "settled otherwise"]) }
        guard token.provider == provider.id else { return .ofUnknownProvider }
        if let outcome = try await settleUncalled(token, run) { return outcome }
        guard let text = token.text else { return try await refuse(token, .sealed, "the token cannot be opened", run) }
        do throws(UpstreamFailure) { try await provider.revoke(token, text: text, in: team) } catch {
            if error.leavesUndone { try await revocations.noteUncalled(token, in: run.team) }
            // Without a connection a retry is useless; any other problem may be solved by then.
            guard run.isLast || error.cause == .upstreamAbsent else {
                return error.retryAfter.map { .retry(after: $0, error.reason) } ?? .failed(error.reason)
            }
            return try await refuse(token, UpstreamTokenProblem(error.cause), error.reason, run)
        }
        return try await database.transaction(in: run.team) { transaction in
            try await revocations.settle(token, as: .revoked, in: run.team, transaction)
            try await revocations.questionNewer(than: token, at: server.clock(), in: run.team, transaction)
            return try await run.succeed(nil, transaction)
        }
    }

    /// Settles a token that the provider must no longer be asked to revoke; nil if it is to be asked now.
    ///
    /// The user is not locked during the call to the provider: tokens of a sign-in meanwhile are validated immediately
    /// after it.
    private func settleUncalled(_ token: UpstreamToken, _ run: JobRun) async throws -> JobOutcome? {
        try await database.transaction(in: run.team) { transaction in
            switch try await revocations.begin(token, at: server.clock(), in: run.team, transaction) {
            case .begun: return nil
            case .settled: return .succeeded(["fate": "settled otherwise"])
            case .superseded:
                try await revocations.settle(token, as: .superseded, in: run.team, transaction)
                return try await run.succeed(["fate": "superseded"], transaction)
            }
        }
    }

    private func refuse(_ token: UpstreamToken, _ problem: UpstreamTokenProblem, _ reason: String, _ run: JobRun)
        async throws -> JobOutcome
    {
        try await database.transaction(in: run.team) { transaction in
            try await revocations.settle(token, as: .refused(problem), in: run.team, transaction)
        }
        return .refused(reason)
    }
}

// Validation of tokens.
extension UpstreamTokenWork {
    /// Asks the provider whether a token is live, at most once a day for each user and group.
    func validate(_ job: UpstreamValidation, _ run: JobRun) async throws -> JobOutcome {
        guard let id = UpstreamTokenID(rawValue: job.token),
            let token = try await revocations.find(id.octets, in: [.live], of: run.team),
            let team = try await teams.snapshot(of: run.team)
        else { return .succeeded(["state": "settled otherwise"]) }
        guard token.provider == provider.id else { return .ofUnknownProvider }
        let now = server.clock()
        switch try await validations.status(of: token, in: run.team, at: now) {
        case .asked: return .succeeded(["state": "asked already"])
        case .superseded: return .succeeded(["state": "a newer one speaks for it"])
        case .orphan:
            try await validations.endOrphan(token, in: run.team)
            return .succeeded(["state": "ended"])
        case .mayAsk: break
        }
        let isAlive: Bool
        switch try await ask(about: token, of: team, at: now, run) {
        case .alive(let answer): isAlive = answer
        case .unanswered(let outcome): return outcome
        }
        return try await database.transaction(in: run.team) { transaction in
            if isAlive {
                try await validations.note(token, at: now, in: run.team, transaction)
            } else if provider.hasMoved(token, in: team) {
                try await revocations.markRevoked(token, because: "transferred", in: run.team, transaction)
            } else {
                try await end(token, at: now, run, transaction)
            }
            return try await run.succeed(["state": isAlive ? "live" : "ended"], transaction)
        }
    }

    /// Answer of the provider about a token, or the outcome of the job that did not get one.
    private enum Answer {
        case alive(Bool)
        case unanswered(JobOutcome)
    }

    private func ask(about token: UpstreamToken, of team: TeamSnapshot, at now: Timestamp, _ run: JobRun) async throws
        -> Answer
    {
        guard let text = token.text else {
            try await validations.note(.sealed, of: token, at: now, in: run.team)
            return .unanswered(.succeeded(["problem": "the token cannot be opened"]))
        }
        do throws(UpstreamFailure) { return .alive(try await provider.isAlive(token, text: text, in: team)) } catch {
            return .unanswered(try await postpone(token, error, run))
        }
    }

    /// Asks the provider about the newest token of a user whose authorization may have ended, and applies the event if
    /// that is dead, or if there is none.
    ///
    /// A dead token of which a newer one has been stored meanwhile says nothing: then that is asked about.
    func answer(_ job: UpstreamQuestion, _ run: JobRun) async throws -> JobOutcome {
        guard job.provider == provider.id.rawValue else { return .ofUnknownProvider }
        guard let subject = Subject(rawValue: job.sub), let primaryAppID = ClientID(rawValue: job.app),
            let team = try await teams.snapshot(of: run.team)
        else { return .succeeded(["state": "settled otherwise"]) }
        let now = server.clock()
        let newest = validations.newest(of: subject, for: primaryAppID, from: provider.id, in: run.team, at: now)
        let asked: [[UInt8]] = try await database.query(newest, in: run.team).column()
        if let id = asked.first {
            guard let token = try await revocations.find(id, in: [.live], of: run.team) else {
                return .postponed(.zero)
            }
            switch try await ask(about: token, of: team, at: now, run) {
            // Who will never be asked cannot contradict what the provider told.
            case .unanswered(.succeeded): break
            case .unanswered(let outcome): return outcome
            case .alive(true):
                return try await database.transaction(in: run.team) { transaction in
                    try await validations.note(token, at: now, in: run.team, transaction)
                    return try await run.succeed(["state": "live"], transaction)
                }
            case .alive(false): break
            }
        }
        return try await database.transaction(in: run.team) { transaction in
            try await transaction.query(UserStore.lock(subject, in: run.team))
            guard try await transaction.query(newest).column() == asked else { return .postponed(.zero) }
            let moment = Timestamp(microseconds: job.at)
            let (latest, horizon) = (EventOrder.lastUnclear(toEventAt: moment), now + EventOrder.skew)
            let end = UpstreamAuthorizationEnd(
                subject: subject, provider: provider.id, primaryAppID: primaryAppID, cause: .told, end: latest,
                horizon: horizon, team: run.team, now: now)
            try await end.apply(transaction)
            try await revocations.markAllRevoked(
                of: subject, for: primaryAppID, before: horizon, orAfter: horizon,
                because: UpstreamAuthorizationEnd.Cause.told.rawValue, in: run.team, transaction)
            return try await run.succeed(["state": "ended"], transaction)
        }
    }

    /// Stores a problem that the team must solve, or retries; the user is not affected by any failure.
    private func postpone(_ token: UpstreamToken, _ failure: UpstreamFailure, _ run: JobRun) async throws -> JobOutcome
    {
        if failure.cause == .upstreamClient || failure.cause == .upstreamAbsent {
            let problem = UpstreamTokenProblem(failure.cause)
            try await validations.note(problem, of: token, at: server.clock(), in: run.team)
            return .succeeded(["problem": .string(failure.reason)])
        }
        guard !run.isLast else { return .succeeded(["problem": .string(failure.reason)]) }
        return failure.retryAfter.map { .retry(after: $0, failure.reason) } ?? .failed(failure.reason)
    }

    /// Handles a dead token: ends local sessions and tokens, and enqueues the revocation of the user's other tokens.
    ///
    /// If the user has signed in again meanwhile, or has been unlinked, later changes stand and only this token is
    /// marked.
    private func end(_ token: UpstreamToken, at now: Timestamp, _ run: JobRun, _ transaction: borrowing Transaction)
        async throws(PostgresFailure)
    {
        guard try await validations.death(of: token, in: run.team, at: now, transaction) == .ofAuthorization else {
            try await revocations.markRevoked(token, because: "invalid_grant", in: run.team, transaction)
            return
        }
        let end = UpstreamAuthorizationEnd(
            subject: token.subject, provider: token.provider, primaryAppID: token.primaryAppID, cause: .grantDead,
            team: run.team, now: now)
        try await end.apply(transaction)
        try await revocations.markRevoked(token, because: "invalid_grant", in: run.team, transaction)
        let rest = UpstreamTokenEnd.parts(of: token.subject, for: token.primaryAppID, in: run.team)
        try await transaction.query("WITH \(rest) SELECT FROM upstream_ended")
    }
}

extension JobOutcome {
    /// Outcome of work for a provider that this release does not have: the release beside it that has the provider does
    /// the work, and without one the work is given up as where a provider is away.
    static let ofUnknownProvider = JobOutcome.retry(after: .seconds(3600), "this release does not have the provider")
}
