import Bytes
public import Domain
public import Jobs

/// What is done with the tokens that a provider gave, once nobody waits: what the worker of jobs does with each.
public struct ProviderTokenLife: Sendable {
    let provider: any ProviderLifeCycle
    let context: EngineContext
    let database: TeamDatabase
    let teams: TeamCache
    let fates: ProviderTokenFateStore
    let validations: ProviderValidationStore

    public init(
        _ provider: any ProviderLifeCycle,
        context: EngineContext,
        database: TeamDatabase,
        teams: TeamCache
    ) {
        self.provider = provider
        self.context = context
        self.database = database
        self.teams = teams
        fates = ProviderTokenFateStore(database, context: context)
        validations = ProviderValidationStore(database)
    }

    /// Has a worker revoke tokens and validate them.
    public func register(in handlers: inout JobHandlers) {
        handlers.register(ProviderRevocation.self) { job, run in try await revoke(job, run) }
        handlers.register(ProviderValidation.self) { job, run in try await validate(job, run) }
    }

    /// Calls the provider, perhaps more than once where a process died; the receipt is written once, with the job's end.
    ///
    /// A token that was given up is tried, too: its job runs again because somebody wants it to. Where the person has come
    /// again meanwhile there is no call: it would end the whole authorization (Apple, "Revoke tokens"), the new sign-in
    /// with it.
    private func revoke(_ job: ProviderRevocation, _ run: JobRun) async throws -> JobOutcome {
        guard let id = ProviderTokenID(rawValue: job.token),
            let token = try await fates.find(id.octets, in: [.ending, .refused], of: run.team),
            let team = try await teams.snapshot(of: run.team, evenClosed: true)
        else { return .succeeded(["fate": "settled otherwise"]) }
        if let outcome = try await settleUncalled(token, run) { return outcome }
        guard let text = token.text else {
            return try await refuse(token, .sealed, "the token cannot be opened", run)
        }
        do throws(ProviderFailure) {
            try await provider.revoke(token, text: text, in: team)
        } catch {
            if error.leavesUndone { try await fates.noteUncalled(token, in: run.team) }
            // Without a connection there is nothing to wait for; whatever else is wrong may be put right meanwhile.
            guard run.isLast || error.cause == .providerAbsent else {
                return error.retryAfter.map { .retry(after: $0, error.reason) } ?? .failed(error.reason)
            }
            return try await refuse(token, ProviderTokenProblem(error.cause), error.reason, run)
        }
        return try await database.transaction(in: run.team) { transaction in
            try await fates.settle(token, as: .revoked, in: run.team, transaction)
            try await fates.questionNewer(than: token, at: context.clock(), in: run.team, transaction)
            return try await run.succeed(nil, transaction)
        }
    }

    /// Settles a token that the provider must not be asked to revoke any more; nil where it is to be asked now.
    ///
    /// Nobody waits for the provider with a person locked: one who signs in during the call is asked about at the next
    /// validation, which comes at once.
    private func settleUncalled(_ token: ProviderToken, _ run: JobRun) async throws -> JobOutcome? {
        try await database.transaction(in: run.team) { transaction in
            switch try await fates.begin(token, at: context.clock(), in: run.team, transaction) {
            case .begun: return nil
            case .settled: return .succeeded(["fate": "settled otherwise"])
            case .superseded:
                try await fates.settle(token, as: .superseded, in: run.team, transaction)
                return try await run.succeed(["fate": "superseded"], transaction)
            }
        }
    }

    private func refuse(
        _ token: ProviderToken,
        _ problem: ProviderTokenProblem,
        _ reason: String,
        _ run: JobRun
    ) async throws -> JobOutcome {
        try await database.transaction(in: run.team) { transaction in
            try await fates.settle(token, as: .refused(problem), in: run.team, transaction)
        }
        return .refused(reason)
    }
}
