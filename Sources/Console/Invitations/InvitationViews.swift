import Core
import Directory
import HTTP
import Platform
import Registry
import SignIn
import Templates

/// Page of an invitation link: the team, the role, and the ways to join.
struct InvitationPage: SetupView {
    static let template = "invitations/show"
    static let fields = frameFields.with {
        $0.text("teamName") { $0.open.team.settings.name.rawValue }
        $0.text("teamInitial") { Initial.of($0.open.team.settings.name.rawValue) }
        $0.words("role") { $0.open.invitation.role.words.localizedText }
        $0.optionalWords("reach") { $0.open.invitation.role.reach?.localizedText }
        $0.text("email") { $0.open.invitation.email.shown }
        $0.text("action") { $0.action }
        $0.text("csrf") { $0.formToken }
        $0.list("errors", FormError.fields) { $0.form.errors.summary }
        $0.optionalGroup("person", PersonView.fields) { $0.person }
        $0.text("signInURL") { $0.signInURL }
        $0.group("givenName", FieldView.fields) { $0.form.givenNameView }
        $0.group("familyName", FieldView.fields) { $0.form.familyNameView }
        $0.group("password", FieldView.fields) { $0.form.passwordView }
    }

    let frame: SetupFrame
    let open: OpenInvitation
    let action: String
    let formToken: String
    /// URL at which an existing account signs in and then returns to this page.
    let signInURL: String
    /// The signed-in user, or nil.
    let person: PersonView?
    var form = InvitationForm()
}

/// Page after joining with a new account, with a link to sign in.
struct InvitationJoinedPage: SetupView {
    static let template = "invitations/joined"
    static let fields = frameFields.with {
        $0.words("heading") { $0.frame.title }
        $0.text("teamURL") { ConsoleRoutes.overview.link($0.team) }
    }

    let frame: SetupFrame
    let team: TeamID
}

/// Error page for an invitation that is used, withdrawn or expired, or whose team is at its member limit.
struct InvitationGonePage: SetupView {
    static let template = "invitations/gone"
    static let fields = frameFields.with {
        $0.words("heading") { $0.frame.title }
        $0.words("message") { $0.message.localizedText }
        $0.text("consoleURL") { _ in ConsoleRoutes.home.link() }
    }

    let frame: SetupFrame
    let message: Message
}

/// Form for a new console account that accepts an invitation.
///
/// It has no email field, because the link proves the invited address.
struct InvitationForm: Sendable {
    private(set) var givenName = ""
    private(set) var familyName = ""
    var errors = FieldErrors()

    /// Reads and validates the form; on failure, adds to `errors` and returns nil.
    ///
    /// - Parameter team: the name of the inviting team, whose words alone are too weak for a password.
    mutating func read(_ form: Form, for email: EmailAddress, to team: String, _ choice: PasswordChoice) async throws
        -> (name: PersonName, password: NewPassword)?
    {
        (givenName, familyName) = (form["given_name"] ?? "", form["family_name"] ?? "")
        let name = errors.readName(given: givenName, family: familyName)
        let password = try await errors.readPassword(form["password"] ?? "", email, name, around: [team], choice)
        guard let name, let password else { return nil }
        return (name, password)
    }

    /// Adds the error that an account with the invited address already exists.
    mutating func refuseAddress() { errors.add("email", Message("console.invitation.account-exists")) }

    var givenNameView: FieldView { AccountFields.givenName(givenName, errors) }
    var familyNameView: FieldView { AccountFields.familyName(familyName, errors) }
    var passwordView: FieldView { AccountFields.password(errors) }
}
