import Bytes
import Directory
import Templates
import Web

/// An account to be: address, name, password.
struct RegistrationPage: HostedPage {
    static let template = "hosted/registration"
    static let fields =
        frameFields
        .text("action") { $0.action }
        .text("csrf") { $0.formToken }
        .text("backURL") { $0.backURL }
        .group("email", FieldView.fields) { page in
            FieldView(
                "email",
                label: Phrase("hosted.sign-in.email"),
                type: "email",
                value: page.form.email,
                autocomplete: "username",
                hint: Phrase("hosted.registration.email-hint"),
                error: page.errors["email"]
            )
        }
        .group("given", FieldView.fields) { page in
            FieldView(
                "given_name",
                label: Phrase("hosted.consent.given"),
                value: page.form.given,
                autocomplete: "given-name",
                error: page.errors["given_name"],
                isRequired: false
            )
        }
        .group("family", FieldView.fields) { page in
            FieldView(
                "family_name",
                label: Phrase("hosted.consent.family"),
                value: page.form.family,
                autocomplete: "family-name",
                isRequired: false
            )
        }
        .group("password", FieldView.fields) { page in
            .newPassword(in: page.frame.team, error: page.errors["new"])
        }
        .optionalWords("error") { $0.error }

    /// What was typed.
    struct Form: Sendable {
        var email = ""
        var given = ""
        var family = ""
    }

    let frame: HostedFrame
    let action: String
    let formToken: String
    let backURL: String
    var form = Form()
    var errors = FieldErrors()
    /// What is wrong, but with no field.
    var error: Words?
}

/// Which account has a forgotten password.
struct RecoveryPage: HostedPage {
    static let template = "hosted/recovery"
    static let fields =
        frameFields
        .text("action") { $0.action }
        .text("csrf") { $0.formToken }
        .text("backURL") { $0.backURL }
        .optionalWords("error") { $0.error }
        .group("email", FieldView.fields) { page in
            FieldView(
                "email",
                label: Phrase("hosted.sign-in.email"),
                type: "email",
                value: page.email,
                autocomplete: "username"
            )
        }

    let frame: HostedFrame
    let action: String
    let formToken: String
    let backURL: String
    var email = ""
    var error: Words?
}

/// One thing said, and perhaps a way on.
struct MessagePage: HostedPage {
    static let template = "hosted/message"
    static let fields =
        frameFields
        .words("headline") { $0.frame.title }
        .words("message") { $0.message }
        .optionalWords("note") { $0.note }
        .optionalText("nextURL") { $0.next?.url }
        .optionalWords("nextLabel") { $0.next?.label }

    let frame: HostedFrame
    let message: Words
    var note: Words?
    var next: (url: String, label: Words)?
}

extension MessagePage {
    /// A mail was written to an address, or would have been.
    ///
    /// - Parameter isKept: whether the reader may know that it went no further than the operators' mailbox.
    static func mailSent(
        to email: String,
        isKept: Bool,
        _ frame: HostedFrame,
        next: (url: String, label: Words)
    ) -> MessagePage {
        MessagePage(
            frame: frame,
            message: Phrase("hosted.mail.sent", ["email": email]).asWords,
            note: isKept ? Phrase("hosted.mail.kept").asWords : nil,
            next: next
        )
    }
}

/// A mailed link was followed: a button does what it is for, since programs that look at mail follow links too.
struct LinkPage: HostedPage {
    static let template = "hosted/link"
    static let fields =
        frameFields
        .words("headline") { $0.frame.title }
        .words("message") { $0.message }
        .words("button") { $0.button }
        .text("action") { $0.action }
        .text("csrf") { $0.formToken }

    let frame: HostedFrame
    let message: Words
    let button: Words
    let action: String
    let formToken: String
}

/// A new password, by a mailed link.
struct NewPasswordPage: HostedPage {
    static let template = "hosted/new-password"
    static let fields =
        frameFields
        .text("action") { $0.action }
        .text("csrf") { $0.formToken }
        .text("login") { $0.login }
        .optionalWords("error") { $0.error }
        .group("password", FieldView.fields) { page in
            .newPassword(in: page.frame.team, error: page.errors["new"])
        }

    let frame: HostedFrame
    let action: String
    let formToken: String
    /// Tells password managers whose password it is.
    let login: String
    var errors = FieldErrors()
    /// What is wrong, but not with the password.
    var error: Words?
}

/// Another e-mail address.
struct EmailPage: HostedPage {
    static let template = "hosted/account-email"
    static let fields =
        frameFields
        .text("action") { $0.action }
        .text("csrf") { $0.formToken }
        .text("backURL") { $0.backURL }
        .text("login") { $0.login }
        .group("email", FieldView.fields) { page in
            FieldView(
                "email",
                label: Phrase("hosted.email.new"),
                type: "email",
                value: page.email,
                autocomplete: "email",
                error: page.errors["email"]
            )
        }
        .group("current", FieldView.fields) { .currentPassword("current", $0.errors) }

    let frame: HostedFrame
    let action: String
    let formToken: String
    let backURL: String
    let login: String
    var email = ""
    var errors = FieldErrors()
}
