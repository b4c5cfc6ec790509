import Accounts
import Core
import Directory
import HTTP
import OAuth
import Platform
import Registry
import Templates

/// Page in the layout of the hosted pages.
protocol HostedPage: View, SendableMetatype { var frame: HostedFrame { get } }

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

/// What every page with a form begins with: its frame, and where and with which token the form is sent.
struct HostedForm: Sendable {
    let frame: HostedFrame
    let action: String
    /// Token against cross-site request forgery; see `FormTokens`.
    let token: String
    /// Address of the page that a link below the form leads back to; nil if there is none.
    var backURL: String?
}

/// Hosted page with a form.
protocol FormPage: HostedPage { var form: HostedForm { get } }

extension FormPage {
    var frame: HostedFrame { form.frame }

    /// Fields of the layout and of the form, to which each page adds its own.
    static var formFields: Fields<Self> {
        frameFields.with {
            $0.text("action") { $0.form.action }
            $0.text("csrf") { $0.form.token }
            $0.optionalText("backURL") { $0.form.backURL }
        }
    }
}

/// Page for an error that the user did not cause; the app receives no response.
struct HostedErrorPage: HostedPage {
    static let template = "hosted/error"
    static let fields = frameFields.with {
        $0.words("headline") { $0.headline }
        $0.words("message") { $0.message }
        $0.words("advice") { $0.advice }
        $0.group("reference", CopyView.fields) { CopyView(Message("hosted.problems.reference"), $0.reference) }
        $0.optionalText("retryURL") { $0.retryURL }
    }

    let frame: HostedFrame
    let headline: LocalizedText
    let message: LocalizedText
    let advice: LocalizedText
    /// Request ID, by which the log contains details.
    let reference: String
    /// Address that continues; nil if there is none.
    let retryURL: String?
}
