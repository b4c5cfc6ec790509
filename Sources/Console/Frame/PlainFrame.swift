import Core
import HTTP
import Platform
import Registry
import SignIn
import Templates

/// Title, assets and navigation that every page outside any team has; `AccountContext.frame` creates it.
struct PlainFrame: PageFrame {
    let title: LocalizedText
    let assets: AssetLinks
    let chrome: PlainChrome

    static func declare<Page: FramedPage<Self>>(in fields: inout Fields<Page>) {
        fields.group("chrome", PlainChrome.fields) { $0.frame.chrome }
    }
}

/// Navigation around a page outside any team; without a user on error pages for unauthenticated requests.
struct PlainChrome: Sendable {
    private let context: AccountContext?

    init(_ context: AccountContext?) { self.context = context }

    static let fields = Fields<PlainChrome> {
        $0.optionalGroup("person", PersonView.fields) { $0.context?.account.person }
        $0.text("accountURL") { _ in TeamRoutes.account.link(.system) }
        $0.optionalText("operatorURL") { $0.context?.account.isOperator == true ? OperatorRoutes.health.link() : nil }
        $0.text("signOutURL") { _ in TeamRoutes.sessionEnd.link(.system) }
        $0.text("csrf") { $0.context?.formToken ?? "" }
        $0.optionalGroup("flash", Flash.fields) { $0.context?.flash }
    }
}
