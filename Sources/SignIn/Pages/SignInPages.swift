import Core
import Directory
import HTTP
import OAuth
import Platform
import Registry
import Templates

/// Content of every hosted page: language, title, files to load, team.
struct HostedFrame: Sendable {
    let language: Language
    let title: LocalizedText
    let assets: AssetLinks
    let brand: Brand
    /// Nil for pages without a team.
    let team: TeamID?

    /// Appearance of a team.
    struct Brand: Sendable {
        let name: String
        let isSandbox: Bool
        /// Addresses of files on this server.
        var logo: String?
        var stylesheet: String?
        var privacyURL: String?
        var termsURL: String?

        static let fields = Fields<Brand> {
            $0.text("name") { $0.name }
            $0.text("initial") { Initial.of($0.name) }
            $0.optionalText("logo") { $0.logo }
            $0.optionalText("stylesheet") { $0.stylesheet }
            $0.optionalText("privacyURL") { $0.privacyURL }
            $0.optionalText("termsURL") { $0.termsURL }
            $0.flag("sandbox") { $0.isSandbox }
        }

        /// For pages without a team.
        static let pippin = Brand(name: "Pippin", isSandbox: false)
    }
}

extension HostedFrame.Brand {
    /// Appearance of a team, from its snapshot.
    init(_ team: TeamSnapshot) {
        name = team.name
        isSandbox = team.isSandbox
        logo = team.logoDigest.map { TeamRoutes.logo.link(team.id, $0) }
        stylesheet = team.branding.accent.map(BrandAssets.link)
        privacyURL = team.branding.privacyURL?.rawValue
        termsURL = team.branding.termsURL?.rawValue
    }
}

/// Page in the layout of the hosted pages.
protocol HostedPage: View, SendableMetatype { var frame: HostedFrame { get } }

extension HostedPage {
    static var languages: [Language] { Language.allCases }
    var language: Language { frame.language }

    /// Fields of `layouts/hosted`, to which each page adds its own.
    static var frameFields: Fields<Self> {
        Fields<Self> {
            $0.text("lang") { $0.frame.language.tag }
            $0.words("title") { $0.frame.title }
            $0.group("assets", AssetLinks.fields) { $0.frame.assets }
            $0.group("brand", HostedFrame.Brand.fields) { $0.frame.brand }
        }
    }
}

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
struct InvitedPage: FormPage {
    static let template = "hosted/invited"
    static let fields = formFields.with {
        $0.words("lead") { $0.lead }
        $0.words("emailHint") { $0.emailHint }
        $0.text("email") { $0.email }
        $0.list("names", FieldView.fields) { page in
            FieldView.names(
                given: page.given, family: page.family, in: page.languages, error: page.errors["given_name"])
        }
        $0.group("password", FieldView.fields) { page in .newPassword(in: page.frame.team, error: page.errors["new"]) }
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

/// Consent at the first sign-in to an app: the data that the app will receive.
struct ConsentPage: FormPage {
    static let template = "hosted/consent"
    static let fields = formFields.with {
        $0.text("appName") { $0.appName }
        $0.list("errors", FormError.fields) { $0.errors }
        $0.group("person", PersonView.fields) { $0.person }
        $0.optionalGroup("name", NameChoice.fields) { $0.name }
        $0.optionalGroup("email", EmailChoice.fields) { $0.email }
    }

    /// Present if the app requests the name.
    struct NameChoice: Sendable {
        let fields: [FieldView]

        static let fields = Fields<NameChoice> { $0.list("fields", FieldView.fields) { $0.fields } }
    }

    /// Present if the app requests the email address.
    struct EmailChoice: Sendable {
        let address: String
        let isHidden: Bool

        static let fields = Fields<EmailChoice> {
            $0.text("address") { $0.address }
            $0.flag("hidden") { $0.isHidden }
            // This version has no relay, and the page says so.
            $0.flag("forwards") { _ in false }
        }
    }

    let form: HostedForm
    let appName: String
    var errors: [FormError] = []
    let person: PersonView
    var name: NameChoice?
    let email: EmailChoice?
}

/// Confirmation at every later sign-in to an app.
struct ContinuePage: FormPage {
    static let template = "hosted/continue"
    static let fields = formFields.with {
        $0.text("appName") { $0.appName }
        $0.group("person", PersonView.fields) { $0.person }
        $0.text("given") { $0.givenName }
    }

    let form: HostedForm
    let appName: String
    let person: PersonView
    /// Name of the user on the button.
    let givenName: String
}
