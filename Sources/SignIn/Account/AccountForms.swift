import Core
import Directory
import Platform
import Templates

/// Form to change the password.
struct PasswordPage: HostedPage {
    static let template = "hosted/account-password"
    static let fields = frameFields.with {
        $0.text("action") { $0.action }
        $0.text("csrf") { $0.formToken }
        $0.text("backURL") { $0.backURL }
        $0.text("login") { $0.login }
        $0.group("current", FieldView.fields) { .currentPassword("current", $0.errors) }
        $0.group("new", FieldView.fields) { page in .newPassword(in: page.frame.team, error: page.errors["new"]) }
    }

    let frame: HostedFrame
    let action: String
    let formToken: String
    let backURL: String
    /// Login name under which password managers store the password.
    let login: String
    var errors = FieldErrors()
}

/// Confirmation of *Stop using*.
struct StopUsingPage: HostedPage {
    static let template = "hosted/account-stop"
    static let fields = frameFields.with {
        $0.text("appName") { $0.appName }
        $0.text("action") { $0.action }
        $0.text("csrf") { $0.formToken }
        $0.text("backURL") { $0.backURL }
    }

    let frame: HostedFrame
    let appName: String
    let action: String
    let formToken: String
    let backURL: String
}

/// Page for downloading all data stored about the user.
struct AccountDataPage: HostedPage {
    static let template = "hosted/account-data"
    static let fields = frameFields.with {
        $0.text("action") { $0.action }
        $0.text("csrf") { $0.formToken }
        $0.text("backURL") { $0.backURL }
    }

    let frame: HostedFrame
    let action: String
    let formToken: String
    let backURL: String
}

/// Form to delete the account, confirmed by typing its email address or `sub`.
struct AccountDeletionPage: HostedPage {
    static let template = "hosted/account-deletion"
    static let fields = frameFields.with {
        $0.text("action") { $0.action }
        $0.text("csrf") { $0.formToken }
        $0.text("backURL") { $0.backURL }
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

    let frame: HostedFrame
    let action: String
    let formToken: String
    let backURL: String
    let login: String
    /// Text to type: the email address, or the `sub` of an account without one.
    let expected: String
    let appCount: Int
    let hasPassword: Bool
    var typed = ""
    var errors = FieldErrors()
}

/// Confirmation that the account is deleted.
struct AccountDeletedPage: HostedPage {
    static let template = "hosted/account-deleted"
    static let fields = frameFields

    let frame: HostedFrame
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
}
