import Bytes
import Directory
import Domain
import HTTP
import Postgres

/// One try at a second factor, as a form brought it.
struct FactorProof: Sendable {
    let subject: Subject
    let team: TeamID
    /// What the five tries are for.
    let attempt: String
    /// What the browser's cookie holds.
    let browser: String
    let origin: Origin
    let now: Timestamp

    /// Compares the form's proof; nil where it brings none that somebody may give.
    func check(
        _ form: Form,
        with factors: SecondFactors
    ) async throws(PostgresFailure) -> (kind: FactorKind, result: FactorResult)? {
        guard let kind = form["method"].flatMap(FactorKind.init) else { return nil }
        switch kind {
        case .totp: return (kind, try await check(.totp(form["code"] ?? ""), factors))
        case .recoveryCode: return (kind, try await check(.recovery(form["code"] ?? ""), factors))
        case .passkey:
            guard let passkeys = factors.passkeys else { return nil }
            guard let response = form.assertion else { return (kind, .wrong) }
            let isProved = try await passkeys.prove(
                response,
                of: subject,
                browser: browser,
                in: team,
                from: origin,
                at: now
            )
            return (kind, isProved ? .proved : .wrong)
        }
    }

    private func check(
        _ code: FactorSignIn.Code,
        _ factors: SecondFactors
    ) async throws(PostgresFailure) -> FactorResult {
        try await factors.codes.prove(
            code,
            of: subject,
            attempt: attempt,
            in: team,
            from: origin,
            at: now
        )
    }
}
