import AuthEngine
import Bytes
import Domain
import HTTP
import Templates
import Tenancy
import Web

/// What every hosted page carries: its language and title, the files it loads, the team it belongs to.
struct HostedFrame: Sendable {
    let language: Language
    let title: Words
    let assets: AssetLinks
    let brand: Brand
    /// Nil for pages that belong to no team.
    let team: TeamID?

    /// A team as its people see it.
    struct Brand: Sendable {
        let name: String
        let isSandbox: Bool
        /// Addresses of files of ours.
        var logo: String?
        var stylesheet: String?
        var privacyURL: String?
        var termsURL: String?

        static let fields = Fields<Brand>()
            .text("name") { $0.name }
            .text("initial") { Initial.of($0.name) }
            .optionalText("logo") { $0.logo }
            .optionalText("stylesheet") { $0.stylesheet }
            .optionalText("privacyURL") { $0.privacyURL }
            .optionalText("termsURL") { $0.termsURL }
            .flag("sandbox") { $0.isSandbox }

        /// For pages that belong to no team.
        static let pippin = Brand(name: "Pippin", isSandbox: false)
    }
}

extension HostedFrame.Brand {
    /// The team as its registry has it.
    init(_ team: TeamSnapshot) {
        name = team.name
        isSandbox = team.isSandbox
        logo = team.logoDigest.map { TeamRoutes.logo.link(team.id, $0) }
        stylesheet = team.branding.accent.map(BrandAssets.link)
        privacyURL = team.branding.privacyURL?.rawValue
        termsURL = team.branding.termsURL?.rawValue
    }
}

/// A page in the frame of the hosted pages.
protocol HostedPage: View, SendableMetatype {
    var frame: HostedFrame { get }
}

extension HostedPage {
    static var languages: [Language] { Language.allCases }
    var language: Language { frame.language }

    /// The fields of `layouts/hosted`; a page adds its own.
    static var frameFields: Fields<Self> {
        Fields<Self>()
            .text("lang") { $0.frame.language.tag }
            .words("title") { $0.frame.title }
            .group("assets", AssetLinks.fields) { $0.frame.assets }
            .group("brand", HostedFrame.Brand.fields) { $0.frame.brand }
    }
}
