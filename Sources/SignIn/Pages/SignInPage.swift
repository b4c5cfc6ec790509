import Core
import Directory
import HTTP
import OAuth
import Platform
import Registry
import Templates

/// Sign-in with email address and password.
struct SignInPage: FramedPage {
    static let template = "hosted/sign-in"
    static let fields = frameFields.with {
        $0.words("heading") { $0.title }
        $0.text("action") { $0.action }
        $0.text("csrf") { $0.formToken }
        $0.optionalText("restart") { $0.restart }
        $0.optionalWords("error") { $0.error }
        $0.group("email", Input.fields) { page in
            Input(
                "email", Message("hosted.sign-in.email"), page.email, as: .line("email"),
                autocomplete: page.passkey == nil ? "username" : "username webauthn")
        }
        $0.group("password", Input.fields) { _ in
            Input(
                "password", Message("hosted.sign-in.password"), as: .line("password"), autocomplete: "current-password")
        }
        $0.optionalGroup("passkey", PasskeyFormView.fields) { $0.passkey }
        $0.optionalText("appleURL") { $0.appleURL }
        $0.flag("cancellable") { $0.isCancellable }
        $0.flag("linkOffered") { $0.offersLink }
        $0.text("recoveryURL") { $0.recoveryURL }
        $0.optionalText("registrationURL") { $0.registrationURL }
    }

    let frame: HostedFrame
    /// Heading, which names what the sign-in leads to.
    let title: LocalizedText
    let action: String
    let formToken: String
    /// See `Site.restart`.
    let restart: String?
    /// Email address typed before, kept after a wrong password, or the app's login hint.
    var email = ""
    var error: LocalizedText?
    var passkey: PasskeyFormView?
    /// Whether to offer a link that signs in without the password, as for an account that wrong guesses have locked.
    var offersLink = false
    var isCancellable = true
    let recoveryURL: String
    /// Nil if users cannot sign in with Apple.
    let appleURL: String?
    /// Nil if users cannot register.
    let registrationURL: String?
}
