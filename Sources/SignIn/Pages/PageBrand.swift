import HTTP
import OAuth
import Platform
import Registry
public import Templates

/// Appearance of a team.
public struct PageBrand: Sendable {
    let name: String
    let isSandbox: Bool
    /// Addresses of files on this server.
    var logo: String?
    var stylesheet: String?
    var privacyURL: String?
    var termsURL: String?

    public static let fields = Fields<PageBrand> {
        $0.text("name") { $0.name }
        $0.text("initial") { Initial.of($0.name) }
        $0.optionalText("logo") { $0.logo }
        $0.optionalText("stylesheet") { $0.stylesheet }
        $0.optionalText("privacyURL") { $0.privacyURL }
        $0.optionalText("termsURL") { $0.termsURL }
        $0.flag("sandbox") { $0.isSandbox }
    }

    /// For pages without a team.
    public static let pippin = PageBrand(name: "Pippin", isSandbox: false)
}

extension PageBrand {
    /// Appearance of a team, from its snapshot.
    init(_ team: TeamSnapshot) {
        name = team.name
        isSandbox = team.isSandbox
        logo = team.logoDigest.map { TeamRoutes.logo.link(team.id, $0) }
        stylesheet = team.settings.accent.map(BrandAssets.link)
        privacyURL = team.settings.privacyURL?.rawValue
        termsURL = team.settings.termsURL?.rawValue
    }
}
