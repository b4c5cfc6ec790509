import AuthEngine
import Bytes
import Directory
import Domain
import HTTP
import Web

// The first proof: a password.
extension HostedEndpoints {
    /// Compares the password and keeps the proof.
    func provePassword(_ context: Context) async throws -> Response {
        let form = try form(of: context)
        if form["decision"] == "cancel" { return try await cancel(context) }
        let (request, team, visitor) = (context.request, context.team.id, context.visitor)
        let result = try await door.authenticate(form, request, team, visitor)
        guard case .success(let user) = result else {
            let refusal = SignInRefusal(result)
            flows.record(
                .proofRefused,
                of: context.attempt,
                in: team,
                from: request.auditOrigin,
                cause: refusal.cause
            )
            return refuse(refusal, context, login: form["email"] ?? "")
        }
        return try await keepFirstProof(of: user, by: .password, login: form["email"] ?? "", context)
    }

    /// Keeps who a person has shown to be, by whatever way they came, and what they owe beside it.
    func keepFirstProof(
        of user: User,
        by method: ProofMethod,
        login: String,
        _ context: Context
    ) async throws -> Response {
        let due = try await factors.gate.due(
            of: user.subject,
            provedBy: [method],
            in: context.team.id,
            context.team.secondFactor
        )
        let isKept = try await flow.prove(
            user,
            by: method,
            login: login,
            owing: SecondFactorDue(due),
            in: context.attempt,
            browserHash: context.visitor.browserHash,
            of: context.team.id
        )
        guard isKept else { throw Problem.attemptOver }
        return try await goOn(context)
    }

    private func refuse(_ refusal: SignInRefusal, _ context: Context, login: String) -> Response {
        var page = signInPage(context)
        page.email = login
        page.error = refusal.words.asWords
        page.offersLink = refusal.cause == .accountLocked
        var response = pages.respond(page, status: refusal.status)
        if let seconds = refusal.retryAfter { response.append(.retryAfter, String(seconds)) }
        return response
    }
}
