import Bytes
import Domain
import HTTP
import Hosted
import Localization
import Templates
import Tenancy
import Web

/// Preview of the team's sign-in page with an accent colour that may not be saved yet.
///
/// Uses the template of the real page; its links and forms do nothing.
struct PreviewPage: View {
    static let template = "hosted/sign-in"
    static let fields = Fields<PreviewPage> {
        $0.text("lang") { _ in "en" }
        $0.text("title") { $0.team.settings.name.rawValue }
        $0.group("assets", AssetLinks.fields) { $0.assets }
        $0.group("brand", brandFields) { $0 }
        $0.words("heading") { Message("hosted.sign-in.to-app", ["app": $0.team.settings.name.rawValue]) }
        $0.text("action") { _ in "" }
        $0.text("csrf") { _ in "" }
        $0.optionalWords("error") { _ in nil }
        $0.group("email", FieldView.fields) { _ in
            FieldView("email", label: Message("hosted.sign-in.email"), type: "email", autocomplete: "off")
        }
        $0.group("password", FieldView.fields) { _ in
            FieldView("password", label: Message("hosted.sign-in.password"), type: "password", autocomplete: "off")
        }
        $0.optionalGroup("passkey", PasskeyFormView.fields) { page in
            page.team.settings.secondFactor == .off ? nil : .sample(at: page.publicURL)
        }
        $0.optionalText("appleURL") { $0.team.settings.identitySources.contains(.apple) ? "#" : nil }
        $0.flag("cancellable") { _ in true }
        $0.flag("linkOffered") { _ in false }
        $0.text("recoveryURL") { _ in "#" }
        $0.optionalText("registrationURL") { $0.team.policy.registration == .open ? "#" : nil }
    }

    private static let brandFields = Fields<PreviewPage> {
        $0.text("name") { $0.team.settings.name.rawValue }
        $0.text("initial") { Initial.of($0.team.settings.name.rawValue) }
        $0.optionalText("logo") { page in page.logo.map { TeamRoutes.logo.link(page.team.id, $0) } }
        $0.optionalText("stylesheet") { $0.accent.map(BrandAssets.link) }
        $0.optionalText("privacyURL") { $0.team.branding.privacyURL?.rawValue }
        $0.optionalText("termsURL") { $0.team.branding.termsURL?.rawValue }
        $0.flag("sandbox") { $0.team.settings.mode == .sandbox }
    }

    let assets: AssetLinks
    let publicURL: String
    let team: Team
    let accent: AccentColour?
    /// Digest of the team's logo.
    let logo: String?
}
