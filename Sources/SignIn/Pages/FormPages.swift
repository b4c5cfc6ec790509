import Core
import Directory
import Platform
import Templates

/// What every page with a form begins with: its frame, and where and with which token the form is sent.
struct HostedForm: Sendable {
    let frame: HostedFrame
    let action: String
    /// Token against cross-site request forgery; see `FormTokens`.
    let token: String
    /// Address of the page that a link below the form leads back to; nil if there is none.
    var backURL: String?
}

/// Hosted page with a form.
protocol FormPage: HostedPage { var form: HostedForm { get } }

extension FormPage {
    var frame: HostedFrame { form.frame }

    /// Fields of the layout and of the form, to which each page adds its own.
    static var formFields: Fields<Self> {
        frameFields.with {
            $0.text("action") { $0.form.action }
            $0.text("csrf") { $0.form.token }
            $0.optionalText("backURL") { $0.form.backURL }
        }
    }
}

/// Form for a new account: email address, name, password.
struct RegistrationPage: FormPage {
    static let template = "hosted/registration"
    static let fields = formFields.with {
        $0.group("email", FieldView.fields) { page in
            FieldView(
                "email", label: Message("hosted.sign-in.email"), type: "email", value: page.email,
                autocomplete: "username", hint: Message("hosted.registration.email-hint"), error: page.errors["email"])
        }
        $0.list("names", FieldView.fields) { page in
            FieldView.names(
                given: page.given, family: page.family, in: page.languages, error: page.errors["given_name"])
        }
        $0.group("password", FieldView.fields) { page in .newPassword(in: page.frame.team, error: page.errors["new"]) }
    }

    let form: HostedForm
    /// Language tags of the user, the most preferred first.
    let languages: String
    var email = ""
    var given = ""
    var family = ""
    var errors = FieldErrors()
}

/// Form for the email address of an account whose password was forgotten.
struct RecoveryPage: FormPage {
    static let template = "hosted/recovery"
    static let fields = formFields.with {
        $0.group("email", FieldView.fields) { page in
            FieldView(
                "email", label: Message("hosted.sign-in.email"), type: "email", value: page.email,
                autocomplete: "username")
        }
    }

    let form: HostedForm
    let email: String
}

/// Page of a mailed link; a button performs the action, because programs that scan mail open links too.
struct LinkPage: FormPage {
    static let template = "hosted/link"
    static let fields = formFields.with {
        $0.words("message") { $0.message }
        $0.words("button") { $0.button }
    }

    let form: HostedForm
    let message: Message
    var button = Message("hosted.mail.confirm")
}

/// Form for a new password, from a mailed link.
struct NewPasswordPage: FormPage {
    static let template = "hosted/new-password"
    static let fields = formFields.with {
        $0.text("login") { $0.login }
        $0.group("password", FieldView.fields) { page in .newPassword(in: page.frame.team, error: page.errors["new"]) }
    }

    let form: HostedForm
    /// Login name under which password managers store the password.
    let login: String
    var errors = FieldErrors()
}

/// Form to change the email address.
struct EmailPage: FormPage {
    static let template = "hosted/account-email"
    static let fields = formFields.with {
        $0.text("login") { $0.login }
        $0.group("email", FieldView.fields) { page in
            FieldView(
                "email", label: Message("hosted.email.new"), type: "email", value: page.email, autocomplete: "email",
                error: page.errors["email"])
        }
        $0.group("current", FieldView.fields) { .currentPassword("current", $0.errors) }
    }

    let form: HostedForm
    let login: String
    var email = ""
    var errors = FieldErrors()
}

/// Form to change the password.
struct PasswordPage: FormPage {
    static let template = "hosted/account-password"
    static let fields = formFields.with {
        $0.text("login") { $0.login }
        $0.group("current", FieldView.fields) { .currentPassword("current", $0.errors) }
        $0.group("new", FieldView.fields) { page in .newPassword(in: page.frame.team, error: page.errors["new"]) }
    }

    let form: HostedForm
    /// Login name under which password managers store the password.
    let login: String
    var errors = FieldErrors()
}

/// Confirmation of *Stop using*.
struct StopUsingPage: FormPage {
    static let template = "hosted/account-stop"
    static let fields = formFields.with { $0.text("appName") { $0.appName } }

    let form: HostedForm
    let appName: String
}

/// Page for downloading all data stored about the user.
struct AccountDataPage: FormPage {
    static let template = "hosted/account-data"
    static let fields = formFields

    let form: HostedForm
}

/// Form to delete the account, confirmed by typing its email address or `sub`.
struct AccountDeletionPage: FormPage {
    static let template = "hosted/account-deletion"
    static let fields = formFields.with {
        $0.text("login") { $0.login }
        $0.text("expected") { $0.expected }
        $0.optionalWords("apps") { $0.appCount == 0 ? nil : Message("hosted.deletion.apps", count: $0.appCount) }
        $0.group("confirmation", FieldView.fields) { page in
            FieldView(
                "confirmation", label: Message("hosted.deletion.confirm", ["expected": page.expected]),
                value: page.typed, autocomplete: "off", error: page.errors["confirmation"])
        }
        $0.optionalGroup("password", FieldView.fields) { page in
            page.hasPassword ? .currentPassword("password", page.errors) : nil
        }
    }

    let form: HostedForm
    let login: String
    /// Text to type: the email address, or the `sub` of an account without one.
    let expected: String
    let appCount: Int
    let hasPassword: Bool
    var typed = ""
    var errors = FieldErrors()
}

extension FieldView {
    /// Field for the current password.
    static func currentPassword(_ name: String, _ errors: FieldErrors) -> FieldView {
        FieldView(
            name, label: Message("hosted.password.current"), type: "password", autocomplete: "current-password",
            error: errors[name])
    }

    /// Field for a new password.
    static func newPassword(in team: TeamID?, error: LocalizedText?) -> FieldView {
        FieldView(
            "new", label: Message("hosted.password.new"), type: "password", autocomplete: "new-password",
            hint: Message("shared.passwords.hint", count: PasswordRule(in: team, email: nil).minimumLength),
            error: error)
    }

    /// Fields for a name, the family name first where the reader's languages have it so.
    ///
    /// - Parameters:
    ///   - languages: tags of the languages; see `Request.languageTags`.
    ///   - error: of the name as a whole, shown at the given name.
    static func names(given: String, family: String, in languages: String, error: LocalizedText?) -> [FieldView] {
        let fields = [
            FieldView(
                "given_name", label: Message("hosted.consent.given"), value: given, autocomplete: "given-name",
                error: error, isRequired: false),
            FieldView(
                "family_name", label: Message("hosted.consent.family"), value: family, autocomplete: "family-name",
                isRequired: false),
        ]
        return Language.putsFamilyNameFirst(languages) ? fields.reversed() : fields
    }
}
