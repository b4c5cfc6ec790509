import Bytes
import Domain
import HTTP
import SignIn
import Templates
import Tenancy
import Web

/// The sign-in page of the team in a colour that need not be saved yet: the very template that people get, on a page
/// where nothing works.
struct PreviewPage: View {
    static let template = "hosted/sign-in"
    static let fields = Fields<PreviewPage>()
        .text("lang") { _ in "en" }
        .text("title") { $0.team.settings.name.rawValue }
        .group("assets", AssetLinks.fields) { $0.assets }
        .group("brand", brandFields) { $0 }
        .words("heading") { Phrase("hosted.sign-in.to-app", ["app": $0.team.settings.name.rawValue]) }
        .text("action") { _ in "" }
        .text("csrf") { _ in "" }
        .optionalWords("error") { _ in nil }
        .group("email", FieldView.fields) { _ in
            FieldView("email", label: Phrase("hosted.sign-in.email"), type: "email", autocomplete: "off")
        }
        .group("password", FieldView.fields) { _ in
            FieldView(
                "password",
                label: Phrase("hosted.sign-in.password"),
                type: "password",
                autocomplete: "off"
            )
        }
        .optionalGroup("passkey", PasskeyFormView.fields) { page in
            page.team.settings.secondFactor == .off ? nil : .sample(at: page.publicURL)
        }
        .optionalText("appleURL") { $0.team.settings.identitySources.contains(.apple) ? "#" : nil }
        .flag("cancellable") { _ in true }
        .flag("linkOffered") { _ in false }
        .text("recoveryURL") { _ in "#" }
        .optionalText("registrationURL") { $0.team.policy.registration == .open ? "#" : nil }

    private static let brandFields = Fields<PreviewPage>()
        .text("name") { $0.team.settings.name.rawValue }
        .text("initial") { Initial.of($0.team.settings.name.rawValue) }
        .optionalText("logo") { page in page.logo.map { TeamRoutes.logo.link(page.team.id, $0) } }
        .optionalText("stylesheet") { $0.accent.map(BrandAssets.link) }
        .optionalText("privacyURL") { $0.team.branding.privacyURL?.rawValue }
        .optionalText("termsURL") { $0.team.branding.termsURL?.rawValue }
        .flag("sandbox") { $0.team.settings.mode == .sandbox }

    let assets: AssetLinks
    let publicURL: String
    let team: Team
    let accent: AccentColour?
    /// The digest of the team's logo.
    let logo: String?
}
