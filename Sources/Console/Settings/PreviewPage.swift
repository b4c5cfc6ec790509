import Domain
import HTTP
import SignIn
import Templates
import Tenancy
import Web

/// What the hosted pages would look like, inside the page that sets it.
struct PreviewPage: View {
    static let template = "console/preview"
    static let fields = Fields<PreviewPage>()
        .text("lang") { _ in "en" }
        .text("title") { $0.team.settings.name.rawValue }
        .group("assets", AssetLinks.fields) { $0.assets }
        .group("brand", brandFields) { $0 }

    private static let brandFields = Fields<PreviewPage>()
        .text("name") { $0.team.settings.name.rawValue }
        .text("initial") { Initial.of($0.team.settings.name.rawValue) }
        .optionalText("logo") { page in page.logo.map { TeamRoutes.logo.link(page.team.id, $0) } }
        .optionalText("stylesheet") { $0.accent.map(BrandAssets.link) }
        .optionalText("privacyURL") { $0.team.branding.privacyURL?.rawValue }
        .optionalText("termsURL") { $0.team.branding.termsURL?.rawValue }
        .flag("sandbox") { $0.team.settings.mode == .sandbox }

    let assets: AssetLinks
    let team: Team
    let accent: AccentColour?
    /// The digest of the team's logo.
    let logo: String?
}
