import Core
public import OAuth
public import Platform

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
        if let outcome = try await settleUncalled(token, run) { return outcome }
        guard let text = token.text else { return try await refuse(token, .sealed, "the token cannot be opened", run) }
        do throws(UpstreamFailure) { try await provider.revoke(token, text: text, in: team) } catch {
            if error.leavesUndone { try await revocations.noteUncalled(token, in: run.team) }
            // Without a connection a retry is useless; any other problem may be solved by then.
            guard run.isLast || error.cause == .providerAbsent else {
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
