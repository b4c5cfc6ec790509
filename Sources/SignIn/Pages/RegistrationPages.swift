import Core
import Directory
import Templates

/// Form for a new account: email address, name, password.
struct RegistrationPage: HostedPage {
    static let template = "hosted/registration"
    static let fields = frameFields.with {
        $0.text("action") { $0.action }
        $0.text("csrf") { $0.formToken }
        $0.text("backURL") { $0.backURL }
        $0.group("email", FieldView.fields) { page in
            FieldView(
                "email", label: Message("hosted.sign-in.email"), type: "email", value: page.form.email,
                autocomplete: "username", hint: Message("hosted.registration.email-hint"), error: page.errors["email"])
        }
        $0.list("names", FieldView.fields) { page in
            FieldView.names(
                given: page.form.given, family: page.form.family, in: page.languages, error: page.errors["given_name"])
        }
        $0.group("password", FieldView.fields) { page in .newPassword(in: page.frame.team, error: page.errors["new"]) }
        $0.optionalWords("error") { $0.error }
    }

    /// Typed values.
    struct Form: Sendable {
        var email = ""
        var given = ""
        var family = ""
    }

    let frame: HostedFrame
    let action: String
    let formToken: String
    let backURL: String
    /// Language tags of the user, the most preferred first.
    let languages: String
    var form = Form()
    var errors = FieldErrors()
    /// Error that concerns no single field.
    var error: LocalizedText?
}

/// Form for the email address of an account whose password was forgotten.
struct RecoveryPage: HostedPage {
    static let template = "hosted/recovery"
    static let fields = frameFields.with {
        $0.text("action") { $0.action }
        $0.text("csrf") { $0.formToken }
        $0.text("backURL") { $0.backURL }
        $0.optionalWords("error") { $0.error }
        $0.group("email", FieldView.fields) { page in
            FieldView(
                "email", label: Message("hosted.sign-in.email"), type: "email", value: page.email,
                autocomplete: "username")
        }
    }

    let frame: HostedFrame
    let action: String
    let formToken: String
    let backURL: String
    var email = ""
    var error: LocalizedText?
}

/// Page with one message and an optional link.
struct MessagePage: HostedPage {
    static let template = "hosted/message"
    static let fields = frameFields.with {
        $0.words("headline") { $0.frame.title }
        $0.words("message") { $0.message }
        $0.optionalWords("note") { $0.note }
        $0.optionalText("nextURL") { $0.next?.url }
        $0.optionalWords("nextLabel") { $0.next?.label }
    }

    let frame: HostedFrame
    let message: LocalizedText
    var note: LocalizedText?
    var next: (url: String, label: LocalizedText)?
}

extension MessagePage {
    /// Page after a mail was requested, whether or not one was sent.
    ///
    /// - Parameter isKept: whether the user may know that the mail went no further than the operators' mailbox.
    static func mailSent(
        to email: String, isKept: Bool, _ frame: HostedFrame, next: (url: String, label: LocalizedText)
    ) -> MessagePage {
        MessagePage(
            frame: frame, message: Message("hosted.mail.sent", ["email": email]).localizedText,
            note: isKept ? Message("hosted.mail.kept").localizedText : nil, next: next)
    }
}

/// Page of a mailed link; a button performs the action, because programs that scan mail open links too.
struct LinkPage: HostedPage {
    static let template = "hosted/link"
    static let fields = frameFields.with {
        $0.words("headline") { $0.frame.title }
        $0.words("message") { $0.message }
        $0.words("button") { $0.button }
        $0.text("action") { $0.action }
        $0.text("csrf") { $0.formToken }
    }

    let frame: HostedFrame
    let message: LocalizedText
    let button: LocalizedText
    let action: String
    let formToken: String
}

/// Form for a new password, from a mailed link.
struct NewPasswordPage: HostedPage {
    static let template = "hosted/new-password"
    static let fields = frameFields.with {
        $0.text("action") { $0.action }
        $0.text("csrf") { $0.formToken }
        $0.text("login") { $0.login }
        $0.optionalWords("error") { $0.error }
        $0.group("password", FieldView.fields) { page in .newPassword(in: page.frame.team, error: page.errors["new"]) }
    }

    let frame: HostedFrame
    let action: String
    let formToken: String
    /// Login name under which password managers store the password.
    let login: String
    var errors = FieldErrors()
    /// Error that does not concern the password.
    var error: LocalizedText?
}

/// Form to change the email address.
struct EmailPage: HostedPage {
    static let template = "hosted/account-email"
    static let fields = frameFields.with {
        $0.text("action") { $0.action }
        $0.text("csrf") { $0.formToken }
        $0.text("backURL") { $0.backURL }
        $0.text("login") { $0.login }
        $0.group("email", FieldView.fields) { page in
            FieldView(
                "email", label: Message("hosted.email.new"), type: "email", value: page.email, autocomplete: "email",
                error: page.errors["email"])
        }
        $0.group("current", FieldView.fields) { .currentPassword("current", $0.errors) }
    }

    let frame: HostedFrame
    let action: String
    let formToken: String
    let backURL: String
    let login: String
    var email = ""
    var errors = FieldErrors()
}
