import Core
import Directory
import HTTP
import OAuth
import Platform

/// The first proof: a password.
struct PasswordStep: Sendable {
    let steps: InteractionSteps

    /// Verifies the password and stores the proof.
    func prove(_ context: InteractionContext) async throws -> Response {
        let form = try steps.form(of: context)
        if form["decision"] == "cancel" { return try await steps.cancel(context) }
        try await steps.admit(context.request, context.team.id)
        let login = form["email"] ?? ""
        let result = try await steps.sessionIssuer.authenticate(form, context.visit)
        guard case .success(let user, let factors) = result else {
            let refusal = SignInRefusal(result)
            steps.traces.record(
                .proofRefused, of: context.interaction, from: context.visit.origin, cause: refusal.cause)
            return refuse(refusal, context, login: login)
        }
        return try await steps.keepFirstProof(of: user, by: .password, login: login, having: factors, context)
    }

    private func refuse(_ refusal: SignInRefusal, _ context: InteractionContext, login: String) -> Response {
        var page = steps.signInPage(context)
        page.email = login
        page.error = refusal.words.localizedText
        page.offersLink = refusal.cause == .accountLocked
        return steps.pages.respond(page, status: refusal.status, retryAfter: refusal.retryAfter)
    }
}
