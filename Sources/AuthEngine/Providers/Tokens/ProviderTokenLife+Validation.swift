import Bytes
import Domain
import Jobs
import Postgres

// Whether an authorization still stands.
extension ProviderTokenLife {
    /// Asks the provider, at most once a day for each person and group.
    func validate(_ job: ProviderValidation, _ run: JobRun) async throws -> JobOutcome {
        guard let id = ProviderTokenID(rawValue: job.token),
            let token = try await fates.find(id.octets, in: [.live], of: run.team),
            let team = try await teams.snapshot(of: run.team)
        else { return .succeeded(["state": "settled otherwise"]) }
        let now = context.clock()
        switch try await validations.standing(of: token, in: run.team, at: now) {
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
        do throws(ProviderFailure) {
            isAlive = try await provider.isAlive(token, text: text, in: team)
        } catch {
            return try await putOff(token, error, run)
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

    /// What is the team's to put right is told to it; the person is left alone, whatever it is.
    private func putOff(
        _ token: ProviderToken,
        _ failure: ProviderFailure,
        _ run: JobRun
    ) async throws -> JobOutcome {
        if failure.cause == .providerClient || failure.cause == .providerAbsent {
            let problem = ProviderTokenProblem(failure.cause)
            try await validations.note(problem, of: token, at: context.clock(), in: run.team)
            return .succeeded(["problem": .string(failure.reason)])
        }
        guard !run.isLast else { return .succeeded(["problem": .string(failure.reason)]) }
        return failure.retryAfter.map { .retry(after: $0, failure.reason) } ?? .failed(failure.reason)
    }

    /// The provider says that it is over: sessions and tokens end here, and the person's other tokens there.
    ///
    /// Not where the person has come back meanwhile, or has parted: what they did then stands, and only the token that was
    /// asked about is dead.
    private func end(
        _ token: ProviderToken,
        at now: Timestamp,
        _ run: JobRun,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) {
        guard try await validations.death(of: token, in: run.team, at: now, transaction) == .ofAuthorization
        else {
            try await fates.bury(token, because: "invalid_grant", in: run.team, transaction)
            return
        }
        let end = ProviderAuthorizationEnd(
            of: token.subject,
            at: token.provider,
            for: token.group,
            because: .grantDead,
            team: run.team,
            now: now
        )
        try await end.apply(transaction)
        try await fates.bury(token, because: "invalid_grant", in: run.team, transaction)
        let rest = ProviderTokenEnd.parts(of: token.subject, for: token.group, in: run.team)
        try await transaction.query("WITH \(rest) SELECT FROM provider_ended")
    }
}
