import Core
import HTTP
import SignIn
import Templates

/// Frame of the setup pages, which look like hosted pages with Pippin's own branding.
struct SetupFrame: PageFrame {
    let title: LocalizedText
    let assets: AssetLinks

    static func declare<Page: FramedPage<Self>>(in fields: inout Fields<Page>) {
        fields.group("brand", PageBrand.fields) { _ in .pippin }
    }
}

/// Form for the first operator and team.
struct SetupPage: FramedPage {
    static let template = "setup/new"
    static let fields = frameFields.with {
        $0.text("action") { $0.action }
        $0.text("csrf") { $0.formToken }
        $0.errors { $0.form.errors }
        $0.group("givenName", Input.fields) { $0.form.givenNameView }
        $0.group("familyName", Input.fields) { $0.form.familyNameView }
        $0.group("email", Input.fields) { $0.form.emailView }
        $0.group("password", Input.fields) { $0.form.passwordView }
        $0.group("teamName", Input.fields) { $0.form.team.nameView }
        $0.group("teamID", Input.fields) { $0.form.team.teamIDView }
        $0.group("mode", Input.fields) { $0.form.team.modeView }
    }

    let frame: SetupFrame
    let action: String
    let formToken: String
    var form: SetupForm
}

/// Page with the command that prints a setup link, shown without an operator or for an invalid link.
struct SetupLinkPage: FramedPage {
    static let template = "setup/link"
    static let fields = frameFields.with {
        $0.words("heading") { $0.frame.title }
        $0.words("about") { $0.about }
        $0.group("command", CopyView.fields) { _ in CopyView(Message("console.setup.invalid.copy"), "pippin setup-link")
        }
        $0.optionalText("consoleURL") { $0.consoleURL }
    }

    let frame: SetupFrame
    private let about: Message
    private let consoleURL: String?

    /// The page for a setup link that was used or has expired.
    static func invalid(_ assets: AssetLinks) -> SetupLinkPage {
        SetupLinkPage(
            frame: SetupFrame(title: Message("console.setup.invalid").localizedText, assets: assets),
            about: Message("console.setup.invalid.about"), consoleURL: ConsoleRoutes.home.link())
    }

    /// The page for an installation without an operator, where sign-in is not possible yet.
    static func wanted(_ assets: AssetLinks) -> SetupLinkPage {
        SetupLinkPage(
            frame: SetupFrame(title: Message("console.setup.wanted").localizedText, assets: assets),
            about: Message("console.setup.wanted.about"), consoleURL: nil)
    }
}
