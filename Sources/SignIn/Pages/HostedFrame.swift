import Accounts
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
