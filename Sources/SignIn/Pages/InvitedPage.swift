import AuthEngine
import Bytes
import Directory
import Domain
import HTTP
import Templates
import Web

/// An account to be, whose address a mailed link has shown to be the person's: name and password.
///
/// For somebody whom the team has invited, or who registered in another browser.
struct InvitedPage: HostedPage {
    static let template = "hosted/invited"
    static let fields =
        frameFields
        .text("action") { $0.action }
        .text("csrf") { $0.formToken }
        .words("heading") { $0.frame.title }
        .words("lead") { $0.lead }
        .words("emailHint") { $0.emailHint }
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
        .group("password", FieldView.fields) { page in
            .newPassword(in: page.frame.team, error: page.errors["new"])
        }

    let frame: HostedFrame
    let action: String
    let formToken: String
    let lead: Words
    let emailHint: Words
    /// Where the link was sent; it becomes the login name.
    let email: String
    var given = ""
    var family = ""
    var errors = FieldErrors()
}

extension InvitedPage {
    /// Reads what was typed; nil when something is wrong, which the page then says beside each field.
    mutating func read(
        _ form: Form,
        for email: EmailAddress,
        in team: TeamSnapshot,
        _ choice: PasswordChoice
    ) async throws -> (name: PersonName, password: NewPassword)? {
        (given, family) = (form["given_name"] ?? "", form["family_name"] ?? "")
        let name = errors.require(
            PersonName(given: given, family: family),
            "given_name",
            Phrase("hosted.consent.name-wrong")
        )
        let rule = PasswordRule(in: team.id, email: email, name: name ?? .none, around: [team.name])
        let password = try await errors.take(form["new"] ?? "", by: rule, choice)
        guard let name, let password else { return nil }
        return (name, password)
    }
}
