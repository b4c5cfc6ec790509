import Core
import Directory
import HTTP
import OAuth
import Platform
import Templates

/// Sign-in with email address and password.
struct SignInPage: HostedPage {
    static let template = "hosted/sign-in"
    static let fields = frameFields.with {
        $0.words("heading") { $0.title }
        $0.text("action") { $0.action }
        $0.text("csrf") { $0.formToken }
        $0.optionalWords("error") { $0.error }
        $0.group("email", FieldView.fields) { page in
            FieldView(
                "email", label: Message("hosted.sign-in.email"), type: "email", value: page.email,
                autocomplete: page.passkey == nil ? "username" : "username webauthn")
        }
        $0.group("password", FieldView.fields) { _ in
            FieldView(
                "password", label: Message("hosted.sign-in.password"), type: "password",
                autocomplete: "current-password")
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

/// Form for the name and password of a new account, whose email address a mailed link has verified.
///
/// For users whom the team has invited, or who registered in another browser.
struct InvitedPage: HostedPage {
    static let template = "hosted/invited"
    static let fields = frameFields.with {
        $0.text("action") { $0.action }
        $0.text("csrf") { $0.formToken }
        $0.words("heading") { $0.frame.title }
        $0.words("lead") { $0.lead }
        $0.words("emailHint") { $0.emailHint }
        $0.text("email") { $0.email }
        $0.list("names", FieldView.fields) { page in
            FieldView.names(
                given: page.given, family: page.family, in: page.languages, error: page.errors["given_name"])
        }
        $0.group("password", FieldView.fields) { page in .newPassword(in: page.frame.team, error: page.errors["new"]) }
    }

    let frame: HostedFrame
    let action: String
    let formToken: String
    let lead: LocalizedText
    let emailHint: LocalizedText
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

extension FieldView {
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
