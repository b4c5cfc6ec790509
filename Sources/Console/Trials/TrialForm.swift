import AuthEngine
import Bytes
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
        func refuse(_ message: Phrase) -> FormProblems {
            FormProblems([Registry.Problem(field: "responseMode", message: message)])
        }
        switch AuthorizationRequest.ResponseMode(rawValue: responseMode) {
        case .formPost:
            return TrialRun.Choice(scope: scope, responseMode: .formPost)
        case .query:
            guard !wantsName, !wantsEmail else {
                throw refuse(Phrase("console.trials.mode.scope"))
            }
            return TrialRun.Choice(scope: scope, responseMode: .query)
        // A fragment or a message never reaches a server, so there would be nothing to show.
        case .fragment, .webMessage, nil:
            throw refuse(Phrase("console.trials.mode.missing"))
        }
    }

    var nameBox: CheckboxView {
        CheckboxView("name", label: Phrase("console.trials.scope.name"), isChecked: wantsName)
    }

    var emailBox: CheckboxView {
        CheckboxView("email", label: Phrase("console.trials.scope.email"), isChecked: wantsEmail)
    }

    func responseModeChoices(_ problems: FormProblems) -> ChoicesView {
        ChoicesView(
            "responseMode",
            label: Phrase("console.trials.mode"),
            error: problems["responseMode"],
            options: [
                .init(
                    AuthorizationRequest.ResponseMode.formPost.rawValue,
                    Phrase("console.trials.mode.form-post"),
                    hint: Phrase("console.trials.mode.form-post.hint"),
                    isChecked: responseMode != AuthorizationRequest.ResponseMode.query.rawValue
                ),
                .init(
                    AuthorizationRequest.ResponseMode.query.rawValue,
                    Phrase("console.trials.mode.query"),
                    hint: Phrase("console.trials.mode.query.hint"),
                    isChecked: responseMode == AuthorizationRequest.ResponseMode.query.rawValue
                ),
            ]
        )
    }
}
