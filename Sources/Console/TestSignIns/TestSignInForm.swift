import Bytes
import HTTP
import Localization
import OAuth
import Registry
import Web

/// Scopes and response mode that a member chose for a test sign-in.
struct TestSignInForm: Sendable {
    let wantsName: Bool
    let wantsEmail: Bool
    let responseMode: String

    /// The values most apps use.
    init() {
        (wantsName, wantsEmail) = (true, true)
        responseMode = AuthorizationRequest.ResponseMode.formPost.rawValue
    }

    init(_ form: Form) {
        wantsName = form.isChecked("name")
        wantsEmail = form.isChecked("email")
        responseMode = form["responseMode"] ?? ""
    }

    /// - Throws: `FormProblems` for values that the engine would refuse or the page cannot show.
    func choice() throws(FormProblems) -> TestSignInRun.Choice {
        let scope = AuthorizationRequest.Scope(name: wantsName, email: wantsEmail)
        func refuse(_ message: Message) -> FormProblems {
            FormProblems([FieldError(field: "responseMode", message: message)])
        }
        switch AuthorizationRequest.ResponseMode(rawValue: responseMode) {
        case .formPost: return TestSignInRun.Choice(scope: scope, responseMode: .formPost)
        case .query:
            guard !wantsName, !wantsEmail else { throw refuse(Message("console.test-sign-ins.mode.scope")) }
            return TestSignInRun.Choice(scope: scope, responseMode: .query)
        // The response would not reach the server, so there would be nothing to show.
        case .fragment, .webMessage, nil: throw refuse(Message("console.test-sign-ins.mode.missing"))
        }
    }

    var nameBox: CheckboxView {
        CheckboxView("name", label: Message("console.test-sign-ins.scope.name"), isChecked: wantsName)
    }

    var emailBox: CheckboxView {
        CheckboxView("email", label: Message("console.test-sign-ins.scope.email"), isChecked: wantsEmail)
    }

    func responseModeChoices(_ problems: FormProblems) -> ChoicesView {
        ChoicesView(
            "responseMode", label: Message("console.test-sign-ins.mode"), error: problems["responseMode"],
            options: [
                .init(
                    AuthorizationRequest.ResponseMode.formPost.rawValue,
                    Message("console.test-sign-ins.mode.form-post"),
                    hint: Message("console.test-sign-ins.mode.form-post.hint"),
                    isChecked: responseMode != AuthorizationRequest.ResponseMode.query.rawValue),
                .init(
                    AuthorizationRequest.ResponseMode.query.rawValue, Message("console.test-sign-ins.mode.query"),
                    hint: Message("console.test-sign-ins.mode.query.hint"),
                    isChecked: responseMode == AuthorizationRequest.ResponseMode.query.rawValue),
            ])
    }
}
