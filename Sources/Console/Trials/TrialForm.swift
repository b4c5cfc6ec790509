import AuthEngine
import HTTP
import Registry
import Web

/// What a member chose for a trial.
struct TrialForm: Sendable {
    let wantsName: Bool
    let wantsEmail: Bool
    let responseMode: String

    /// What most apps ask for.
    init() {
        (wantsName, wantsEmail) = (true, true)
        responseMode = AuthorizationRequest.ResponseMode.formPost.rawValue
    }

    init(_ form: Form) {
        wantsName = form.isChecked("name")
        wantsEmail = form.isChecked("email")
        responseMode = form["responseMode"] ?? ""
    }

    /// - Throws: `FormProblems` where the engine would refuse.
    func choice() throws(FormProblems) -> TrialRun.Choice {
        let scope = AuthorizationRequest.Scope(name: wantsName, email: wantsEmail)
        func refuse(_ message: String) -> FormProblems {
            FormProblems([Registry.Problem(field: "responseMode", message: message)])
        }
        switch AuthorizationRequest.ResponseMode(rawValue: responseMode) {
        case .formPost:
            return TrialRun.Choice(scope: scope, responseMode: .formPost)
        case .query:
            guard !wantsName, !wantsEmail else {
                throw refuse("Name and e-mail are answered by form_post only, at Apple as here.")
            }
            return TrialRun.Choice(scope: scope, responseMode: .query)
        // A fragment or a message never reaches a server, so there would be nothing to show.
        case .fragment, .webMessage, nil:
            throw refuse("Choose how the answer comes back.")
        }
    }

    var nameBox: CheckboxView {
        CheckboxView("name", label: "Name", isChecked: wantsName)
    }

    var emailBox: CheckboxView {
        CheckboxView("email", label: "E-mail address", isChecked: wantsEmail)
    }

    func responseModeChoices(_ problems: FormProblems) -> ChoicesView {
        ChoicesView(
            "responseMode",
            label: "The answer comes back",
            error: problems["responseMode"],
            options: [
                .init(
                    AuthorizationRequest.ResponseMode.formPost.rawValue,
                    "As a form (form_post)",
                    hint: "A POST to the return URL; the only way when name or e-mail is asked for.",
                    isChecked: responseMode != AuthorizationRequest.ResponseMode.query.rawValue
                ),
                .init(
                    AuthorizationRequest.ResponseMode.query.rawValue,
                    "In the address (query)",
                    hint: "A GET of the return URL.",
                    isChecked: responseMode == AuthorizationRequest.ResponseMode.query.rawValue
                ),
            ]
        )
    }
}
