import Core
import Platform
import Templates

/// Content of every hosted page: language, title, files to load, team.
struct HostedFrame: PageFrame {
    static let languages = Language.allCases

    let language: Language
    let title: LocalizedText
    let assets: AssetLinks
    let brand: PageBrand
    /// Nil for pages without a team.
    let team: TeamID?

    static func declare<Page: FramedPage<Self>>(in fields: inout Fields<Page>) {
        fields.group("brand", PageBrand.fields) { $0.frame.brand }
    }
}
