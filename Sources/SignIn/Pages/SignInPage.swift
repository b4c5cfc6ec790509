import Templates
import Web

/// Who are you? E-mail and password.
struct SignInPage: HostedPage {
    static let template = "hosted/sign-in"
    static let fields =
        frameFields
        .text("appName") { $0.appName }
        .text("action") { $0.action }
        .text("csrf") { $0.formToken }
        .optionalText("error") { $0.error }
        .group("email", FieldView.fields) { page in
            FieldView(
                "email",
                label: "E-mail address",
                type: "email",
                value: page.email,
                autocomplete: "username"
            )
        }
        .group("password", FieldView.fields) { _ in
            FieldView("password", label: "Password", type: "password", autocomplete: "current-password")
        }
        .optionalText("appleURL") { _ in nil }
        .flag("cancellable") { $0.isCancellable }

    let frame: HostedFrame
    let appName: String
    let action: String
    let formToken: String
    /// What was typed before, kept when the password was wrong.
    var email = ""
    var error: String?
    var isCancellable = true
}
