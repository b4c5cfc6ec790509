import Bytes
import Templates
import Web

/// Confirm that it is you.
struct FactorPage: HostedPage {
    static let template = "hosted/factors/prove"
    static let fields =
        frameFields
        .words("lead") { $0.lead }
        .optionalWords("error") { $0.error }
        .text("csrf") { $0.formToken }
        .text("action") { $0.action }
        .optionalGroup("passkey", PasskeyFormView.fields) { $0.passkey }
        .optionalGroup("code", Code.fields) { $0.code }
        .optionalGroup("password", Password.fields) { $0.password }
        .list("others", Other.fields) { $0.others }
        .flag("cancellable") { $0.isCancellable }
        .optionalText("backURL") { $0.backURL }

    /// A code to type.
    struct Code: Sendable {
        let method: String
        let field: FieldView

        static let fields = Fields<Code>()
            .text("method") { $0.method }
            .group("field", FieldView.fields) { $0.field }
    }

    /// The password once more, for somebody who has nothing else.
    struct Password: Sendable {
        let email: FieldView
        let password: FieldView

        static let fields = Fields<Password>()
            .group("email", FieldView.fields) { $0.email }
            .group("password", FieldView.fields) { $0.password }
    }

    /// Another way to confirm.
    struct Other: Sendable {
        let url: String
        let label: Words

        static let fields = Fields<Other>()
            .text("url") { $0.url }
            .words("label") { $0.label }
    }

    let frame: HostedFrame
    let lead: Words
    var error: Words?
    let formToken: String
    let action: String
    var passkey: PasskeyFormView?
    var code: Code?
    var password: Password?
    var others: [Other] = []
    var isCancellable = false
    var backURL: String?
}
