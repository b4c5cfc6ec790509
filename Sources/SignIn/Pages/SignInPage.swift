import Bytes
import Templates
import Web

/// Who are you? E-mail and password.
struct SignInPage: HostedPage {
    static let template = "hosted/sign-in"
    static let fields =
        frameFields
        .words("heading") { $0.title }
        .text("action") { $0.action }
        .text("csrf") { $0.formToken }
        .optionalWords("error") { $0.error }
        .group("email", FieldView.fields) { page in
            FieldView(
                "email",
                label: Phrase("hosted.sign-in.email"),
                type: "email",
                value: page.email,
                autocomplete: page.passkey == nil ? "username" : "username webauthn"
            )
        }
        .group("password", FieldView.fields) { _ in
            FieldView(
                "password",
                label: Phrase("hosted.sign-in.password"),
                type: "password",
                autocomplete: "current-password"
            )
        }
        .optionalGroup("passkey", PasskeyFormView.fields) { $0.passkey }
        .optionalText("appleURL") { $0.appleURL }
        .flag("cancellable") { $0.isCancellable }
        .flag("linkOffered") { $0.offersLink }
        .text("recoveryURL") { $0.recoveryURL }
        .optionalText("registrationURL") { $0.registrationURL }

    let frame: HostedFrame
    /// Where the sign-in leads.
    let title: Words
    let action: String
    let formToken: String
    /// What was typed before, kept when the password was wrong.
    var email = ""
    var error: Words?
    var passkey: PasskeyFormView?
    /// Whether a link is offered that signs in without the password, as to somebody whom wrong guesses keep out.
    var offersLink = false
    var isCancellable = true
    let recoveryURL: String
    /// Nil where people do not prove who they are at Apple.
    let appleURL: String?
    /// Nil where nobody makes an account by themselves.
    let registrationURL: String?
}
