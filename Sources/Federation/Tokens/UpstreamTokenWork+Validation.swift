import Bytes
import Domain
import Jobs
import OAuth
import Postgres

// Validation of tokens.
extension UpstreamTokenWork {
    /// Asks the provider whether a token is live, at most once a day for each user and group.
    func validate(_ job: UpstreamValidation, _ run: JobRun) async throws -> JobOutcome {
        guard let id = UpstreamTokenID(rawValue: job.token),
            let token = try await revocations.find(id.octets, in: [.live], of: run.team),
            let team = try await teams.snapshot(of: run.team)
        else { return .succeeded(["state": "settled otherwise"]) }
        let now = server.clock()
        switch try await validations.status(of: token, in: run.team, at: now) {
        case .asked: return .succeeded(["state": "asked already"])
        case .superseded: return .succeeded(["state": "a newer one speaks for it"])
        case .orphan:
            try await validations.endOrphan(token, in: run.team)
            return .succeeded(["state": "ended"])
        case .mayAsk: break
        }
        guard let text = token.text else {
            try await validations.note(.sealed, of: token, at: now, in: run.team)
            return .succeeded(["problem": "the token cannot be opened"])
        }
        let isAlive: Bool
        do throws(UpstreamFailure) { isAlive = try await provider.isAlive(token, text: text, in: team) } catch {
            return try await postpone(token, error, run)
        }
        return try await database.transaction(in: run.team) { transaction in
            if isAlive {
                try await validations.note(token, at: now, in: run.team, transaction)
            } else {
                try await end(token, at: now, run, transaction)
            }
            return try await run.succeed(["state": isAlive ? "live" : "ended"], transaction)
        }
    }

    /// Stores a problem that the team must solve, or retries; the user is not affected by any failure.
    private func postpone(_ token: UpstreamToken, _ failure: UpstreamFailure, _ run: JobRun) async throws -> JobOutcome
    {
        if failure.cause == .providerClient || failure.cause == .providerAbsent {
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
            of: token.subject, at: token.provider, for: token.primaryAppID, because: .grantDead, team: run.team,
            now: now)
        try await end.apply(transaction)
        try await revocations.markRevoked(token, because: "invalid_grant", in: run.team, transaction)
        let rest = UpstreamTokenEnd.parts(of: token.subject, for: token.primaryAppID, in: run.team)
        try await transaction.query("WITH \(rest) SELECT FROM provider_ended")
    }
}
