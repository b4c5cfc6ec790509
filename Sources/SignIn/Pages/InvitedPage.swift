import Core
import Directory
import HTTP
import OAuth
import Platform
import Registry
import Templates

/// Form for the name and password of a new account, whose email address a mailed link has verified.
///
/// For users whom the team has invited, or who registered in another browser.
struct InvitedPage: FormPage {
    static let template = "hosted/invited"
    static let fields = formFields.with {
        $0.words("lead") { $0.lead }
        $0.words("emailHint") { $0.emailHint }
        $0.text("email") { $0.email }
        $0.list("names", Input.fields) { page in
            Input.names(given: page.given, family: page.family, in: page.languages, page.errors)
        }
        $0.group("password", Input.fields) { page in .newPassword(in: page.frame.team, page.errors) }
    }

    let form: HostedForm
    let lead: Message
    let emailHint: Message
    /// Address that the link was sent to; it becomes the login name.
    let email: String
    /// Language tags of the user, the most preferred first.
    let languages: String
    var given = ""
    var family = ""
    var errors = FieldErrors()
}

extension InvitedPage {
    /// Reads the form; nil if it has errors, which the page then shows beside the fields.
    mutating func read(_ form: Form, for email: EmailAddress, in team: TeamSnapshot, _ choice: PasswordChoice)
        async throws -> (name: PersonName, password: NewPassword)?
    {
        (given, family) = (form["given_name"] ?? "", form["family_name"] ?? "")
        let name = errors.require(
            PersonName(given: given, family: family), "given_name", Message("hosted.consent.name-wrong"))
        let rule = PasswordRule(in: team.id, email: email, name: name ?? .none, around: [team.name])
        let password = try await errors.take(form["new"] ?? "", by: rule, choice)
        guard let name, let password else { return nil }
        return (name, password)
    }
}
