import Core
import Templates

/// Page that requests a second factor or the password.
struct FactorPage: HostedPage {
    static let template = "hosted/factors/prove"
    static let fields = frameFields.with {
        $0.words("lead") { $0.lead }
        $0.optionalWords("error") { $0.error }
        $0.text("csrf") { $0.formToken }
        $0.text("action") { $0.action }
        $0.optionalGroup("passkey", PasskeyFormView.fields) { $0.passkey }
        $0.optionalGroup("code", Code.fields) { $0.code }
        $0.optionalGroup("password", Password.fields) { $0.password }
        $0.list("others", Other.fields) { $0.others }
        $0.flag("cancellable") { $0.isCancellable }
        $0.optionalText("backURL") { $0.backURL }
    }

    /// Code to enter.
    struct Code: Sendable {
        let method: String
        let field: FieldView

        static let fields = Fields<Code> {
            $0.text("method") { $0.method }
            $0.group("field", FieldView.fields) { $0.field }
        }
    }

    /// Password, requested again from a user without a second factor.
    struct Password: Sendable {
        let email: FieldView
        let password: FieldView

        static let fields = Fields<Password> {
            $0.group("email", FieldView.fields) { $0.email }
            $0.group("password", FieldView.fields) { $0.password }
        }
    }

    /// Link to another kind of factor.
    struct Other: Sendable {
        let url: String
        let label: LocalizedText

        static let fields = Fields<Other> {
            $0.text("url") { $0.url }
            $0.words("label") { $0.label }
        }
    }

    let frame: HostedFrame
    let lead: LocalizedText
    var error: LocalizedText?
    let formToken: String
    let action: String
    var passkey: PasskeyFormView?
    var code: Code?
    var password: Password?
    var others: [Other] = []
    var isCancellable = false
    var backURL: String?
}
