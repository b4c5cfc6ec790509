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
    var form = SetupForm()
}

/// The one-time link was used, or is too old.
struct SetupInvalidPage: SetupView {
    static let template = "setup/invalid"
    static let fields =
        frameFields
        .group("command", CopyView.fields) { _ in
            CopyView(Phrase("console.setup.invalid.copy"), "pippin setup-link")
        }
        .text("consoleURL") { _ in ConsoleRoutes.home.link() }

    let frame: SetupFrame
}
