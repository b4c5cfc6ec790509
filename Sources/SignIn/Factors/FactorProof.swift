import Core
import Directory
import HTTP
import Platform
import Postgres

/// One try at a second factor, from a form.
struct FactorProof: Sendable {
    let subject: Subject
    let team: TeamID
    /// Name of the interaction or session to which the limit of five tries applies.
    let interaction: String
    /// Value of the browser cookie.
    let browser: String
    let origin: Origin
    let now: Timestamp

    /// Verifies the proof in the form; nil if it contains none, or a passkey that the server cannot use.
    func check(_ form: Form, with factors: SecondFactors) async throws -> (kind: FactorKind, result: FactorResult)? {
        guard let kind = form["method"].flatMap(FactorKind.init) else { return nil }
        switch kind {
        case .totp: return (kind, try await check(.totp(form["code"] ?? ""), factors))
        case .recoveryCode: return (kind, try await check(.recovery(form["code"] ?? ""), factors))
        case .passkey:
            guard let passkeys = factors.passkeys else { return nil }
            guard let response = form.assertion else { return (kind, .wrong) }
            let isProved = try await passkeys.prove(
                response, of: subject, browser: browser, in: team, from: origin, at: now)
            return (kind, isProved ? .proved : .wrong)
        }
    }

    private func check(_ code: FactorSignIn.Code, _ factors: SecondFactors) async throws -> FactorResult {
        try await factors.codes.prove(code, of: subject, interaction: interaction, in: team, from: origin, at: now)
    }
}
