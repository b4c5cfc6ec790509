import Core
import Directory
import HTTP
import OAuth
import Platform
import Templates

/// Forgotten passwords: the mail with a link to a new password or to one sign-in.
struct RecoveryStep: Sendable {
    let steps: InteractionSteps
    let recovery: PasswordRecovery

    func ask(_ context: InteractionContext) -> Response {
        let form = steps.form(Message("hosted.recovery.title"), to: TeamRoutes.recovery, of: context, leadsBack: true)
        return steps.pages.respond(RecoveryPage(form: form, email: context.interaction.app?.loginHint ?? ""))
    }

    /// Mails a link to choose a new password or to sign in once; the response is the same if there is no such account.
    func recover(_ context: InteractionContext) async throws -> Response {
        let form = try steps.form(of: context)
        try await steps.admit(context.request, context.team.id)
        let email = form["email"] ?? ""
        try await recovery.begin(
            email, for: form["help"] == "link" ? .signInLink : .newPassword,
            interaction: context.interaction.id.rawValue, browserHash: context.visit.browserHash,
            knownBrowser: steps.sessionIssuer.knownBrowser(email, context.visit),
            context.visit.caller(in: context.language))
        return steps.pages.respond(steps.mailSent(to: email, context))
    }
}

/// Form for the email address of an account whose password was forgotten.
struct RecoveryPage: FormPage {
    static let template = "hosted/recovery"
    static let fields = formFields.with {
        $0.group("email", Input.fields) { page in
            Input("email", Message("hosted.sign-in.email"), page.email, as: .line("email"), autocomplete: "username")
        }
    }

    let form: HostedForm
    let email: String
}
