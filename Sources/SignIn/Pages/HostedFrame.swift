import Bytes
import Templates
import Web

/// What every hosted page carries: its title, the files it loads, the team it belongs to.
struct HostedFrame: Sendable {
    let title: Words
    let assets: AssetLinks
    let brand: Brand

    /// A team as its people see it.
    struct Brand: Sendable {
        let name: String
        let isSandbox: Bool

        static let fields = Fields<Brand>()
            .text("name") { $0.name }
            .text("initial") { Initial.of($0.name) }
            .optionalText("logo") { _ in nil }
            .optionalText("stylesheet") { _ in nil }
            .optionalText("privacyURL") { _ in nil }
            .optionalText("termsURL") { _ in nil }
            .flag("sandbox") { $0.isSandbox }

        /// For pages that belong to no team.
        static let pippin = Brand(name: "Pippin", isSandbox: false)
    }
}

/// A page in the frame of the hosted pages.
protocol HostedPage: View, SendableMetatype {
    var frame: HostedFrame { get }
}

extension HostedPage {
    /// The fields of `layouts/hosted`; a page adds its own.
    static var frameFields: Fields<Self> {
        Fields<Self>()
            .text("lang") { _ in "en" }
            .words("title") { $0.frame.title }
            .group("assets", AssetLinks.fields) { $0.frame.assets }
            .group("brand", HostedFrame.Brand.fields) { $0.frame.brand }
    }
}
