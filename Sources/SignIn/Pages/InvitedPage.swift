import Bytes
import Templates
import Web

/// An account to be, of somebody whom the team has invited: name and password.
struct InvitedPage: HostedPage {
    static let template = "hosted/invited"
    static let fields =
        frameFields
        .text("action") { $0.action }
        .text("csrf") { $0.formToken }
        .text("email") { $0.email }
        .group("given", FieldView.fields) { page in
            FieldView(
                "given_name",
                label: Phrase("hosted.consent.given"),
                value: page.given,
                autocomplete: "given-name",
                error: page.errors["given_name"],
                isRequired: false
            )
        }
        .group("family", FieldView.fields) { page in
            FieldView(
                "family_name",
                label: Phrase("hosted.consent.family"),
                value: page.family,
                autocomplete: "family-name",
                isRequired: false
            )
        }
        .group("password", FieldView.fields) { page in .newPassword(error: page.errors["new"]) }

    let frame: HostedFrame
    let action: String
    let formToken: String
    /// Where the link was sent; it becomes the login name.
    let email: String
    var given = ""
    var family = ""
    var errors = FieldErrors()
}
