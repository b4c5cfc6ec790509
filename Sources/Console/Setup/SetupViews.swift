import Bytes
import HTTP
import Templates
import Web

/// What the set-up's pages carry: they look like hosted pages, and belong to Pippin itself.
struct SetupFrame: Sendable {
    let title: Words
    let assets: AssetLinks

    struct Brand: Sendable {
        static let fields = Fields<Brand>()
            .text("name") { _ in "Pippin" }
            .text("initial") { _ in Initial.of("Pippin") }
            .optionalText("logo") { _ in nil }
            .optionalText("stylesheet") { _ in nil }
            .optionalText("privacyURL") { _ in nil }
            .optionalText("termsURL") { _ in nil }
            .flag("sandbox") { _ in false }
    }
}

/// A page of the set-up.
protocol SetupView: View, SendableMetatype {
    var frame: SetupFrame { get }
}

extension SetupView {
    /// The fields of `layouts/hosted`; a page adds its own.
    static var frameFields: Fields<Self> {
        Fields<Self>()
            .text("lang") { _ in "en" }
            .words("title") { $0.frame.title }
            .group("assets", AssetLinks.fields) { $0.frame.assets }
            .group("brand", SetupFrame.Brand.fields) { _ in SetupFrame.Brand() }
    }
}

/// The first operator and the first team.
struct SetupPage: SetupView {
    static let template = "setup/new"
    static let fields =
        frameFields
        .text("action") { $0.action }
        .text("csrf") { $0.formToken }
        .list("errors", FormError.fields) { $0.form.errors }
        .group("givenName", FieldView.fields) { $0.form.givenNameView }
        .group("familyName", FieldView.fields) { $0.form.familyNameView }
        .group("email", FieldView.fields) { $0.form.emailView }
        .group("password", FieldView.fields) { $0.form.passwordView }
        .group("teamName", FieldView.fields) { $0.form.team.nameView }
        .group("teamID", FieldView.fields) { $0.form.team.teamIDView }
        .group("mode", ChoicesView.fields) { $0.form.team.modeView }

    let frame: SetupFrame
    let action: String
    let formToken: String
    var form: SetupForm
}

/// Where a one-time link comes from: there is no operator yet, or the link that was followed is over.
struct SetupLinkPage: SetupView {
    static let template = "setup/link"
    static let fields =
        frameFields
        .words("heading") { $0.frame.title }
        .words("about") { $0.about }
        .group("command", CopyView.fields) { _ in
            CopyView(Phrase("console.setup.invalid.copy"), "pippin setup-link")
        }
        .optionalText("consoleURL") { $0.consoleURL }

    let frame: SetupFrame
    private let about: Phrase
    private let consoleURL: String?

    /// The link was used, or is too old.
    static func invalid(_ assets: AssetLinks) -> SetupLinkPage {
        SetupLinkPage(
            frame: SetupFrame(title: Phrase("console.setup.invalid").asWords, assets: assets),
            about: Phrase("console.setup.invalid.about"),
            consoleURL: ConsoleRoutes.home.link()
        )
    }

    /// Nobody has set up this installation yet, so nobody can sign in.
    static func wanted(_ assets: AssetLinks) -> SetupLinkPage {
        SetupLinkPage(
            frame: SetupFrame(title: Phrase("console.setup.wanted").asWords, assets: assets),
            about: Phrase("console.setup.wanted.about"),
            consoleURL: nil
        )
    }
}
