import Bytes
import Directory
import Domain
import Templates
import Web

/// Another password.
struct PasswordPage: HostedPage {
    static let template = "hosted/account-password"
    static let fields =
        frameFields
        .text("action") { $0.action }
        .text("csrf") { $0.formToken }
        .text("backURL") { $0.backURL }
        .text("login") { $0.login }
        .group("current", FieldView.fields) { .currentPassword("current", $0.errors) }
        .group("new", FieldView.fields) { page in
            .newPassword(in: page.frame.team, error: page.errors["new"])
        }

    let frame: HostedFrame
    let action: String
    let formToken: String
    let backURL: String
    /// Tells password managers whose password it is.
    let login: String
    var errors = FieldErrors()
}

/// *Stop using*, asked once more.
struct StopUsingPage: HostedPage {
    static let template = "hosted/account-stop"
    static let fields =
        frameFields
        .text("appName") { $0.appName }
        .text("action") { $0.action }
        .text("csrf") { $0.formToken }
        .text("backURL") { $0.backURL }

    let frame: HostedFrame
    let appName: String
    let action: String
    let formToken: String
    let backURL: String
}

/// Everything that is kept of the person, to take along.
struct AccountDataPage: HostedPage {
    static let template = "hosted/account-data"
    static let fields =
        frameFields
        .text("action") { $0.action }
        .text("csrf") { $0.formToken }
        .text("backURL") { $0.backURL }

    let frame: HostedFrame
    let action: String
    let formToken: String
    let backURL: String
}

/// The end of an account, by typing what it is called.
struct AccountDeletionPage: HostedPage {
    static let template = "hosted/account-deletion"
    static let fields =
        frameFields
        .text("action") { $0.action }
        .text("csrf") { $0.formToken }
        .text("backURL") { $0.backURL }
        .text("login") { $0.login }
        .text("expected") { $0.expected }
        .optionalWords("apps") { $0.appCount == 0 ? nil : Phrase("hosted.deletion.apps", count: $0.appCount) }
        .group("confirmation", FieldView.fields) { page in
            FieldView(
                "confirmation",
                label: Phrase("hosted.deletion.confirm", ["expected": page.expected]),
                value: page.typed,
                autocomplete: "off",
                error: page.errors["confirmation"]
            )
        }
        .optionalGroup("password", FieldView.fields) { page in
            page.hasPassword ? .currentPassword("password", page.errors) : nil
        }

    let frame: HostedFrame
    let action: String
    let formToken: String
    let backURL: String
    let login: String
    /// The e-mail address, or what else the account is called.
    let expected: String
    let appCount: Int
    let hasPassword: Bool
    var typed = ""
    var errors = FieldErrors()
}

/// The account is gone.
struct AccountDeletedPage: HostedPage {
    static let template = "hosted/account-deleted"
    static let fields = frameFields

    let frame: HostedFrame
}

extension FieldView {
    /// The password there is, wherever it has to be typed once more.
    static func currentPassword(_ name: String, _ errors: FieldErrors) -> FieldView {
        FieldView(
            name,
            label: Phrase("hosted.password.current"),
            type: "password",
            autocomplete: "current-password",
            error: errors[name]
        )
    }

    /// A password to choose, wherever one is chosen.
    static func newPassword(in team: TeamID?, error: Words?) -> FieldView {
        FieldView(
            "new",
            label: Phrase("hosted.password.new"),
            type: "password",
            autocomplete: "new-password",
            hint: Phrase("shared.passwords.hint", count: PasswordRule(in: team, email: nil).minimumLength),
            error: error
        )
    }
}
