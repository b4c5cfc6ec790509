import Core
import HTTP
import Platform
import Registry
import SignIn
import Templates

/// Title, assets and navigation that every page of a team has.
struct ConsoleFrame: Sendable {
    let title: LocalizedText
    let assets: AssetLinks
    let chrome: Chrome
}

/// A page of a team; `TeamContext.frame` creates its frame.
protocol ConsolePage: View, SendableMetatype { var frame: ConsoleFrame { get } }

extension ConsolePage {
    /// The fields of `layouts/console`; a page adds its own.
    static var frameFields: Fields<Self> {
        Fields<Self> {
            $0.text("lang") { _ in "en" }
            $0.words("title") { $0.frame.title }
            $0.group("assets", AssetLinks.fields) { $0.frame.assets }
            $0.group("chrome", Chrome.fields) { $0.frame.chrome }
        }
    }
}

/// Title, assets and navigation that every page outside any team has.
struct PlainFrame: Sendable {
    let title: LocalizedText
    let assets: AssetLinks
    let chrome: PlainChrome
}

/// A page outside any team; `AccountContext.frame` creates its frame.
protocol PlainPage: View, SendableMetatype { var frame: PlainFrame { get } }

extension PlainPage {
    /// The fields of `layouts/console-plain`; a page adds its own.
    static var frameFields: Fields<Self> {
        Fields<Self> {
            $0.text("lang") { _ in "en" }
            $0.words("title") { $0.frame.title }
            $0.group("assets", AssetLinks.fields) { $0.frame.assets }
            $0.group("chrome", PlainChrome.fields) { $0.frame.chrome }
        }
    }
}

/// Navigation around a page of a team: list of teams, sections, signed-in user.
///
/// A class, because the scopes of a page hold it and it refers to all that the request knows.
final class Chrome: Sendable {
    private let context: TeamContext

    init(_ context: TeamContext) { self.context = context }

    private struct Row: Sendable {
        let team: Team
        let isCurrent: Bool

        static let fields = Fields<Row> {
            $0.text("url") { ConsoleRoutes.overview.link($0.team.id) }
            $0.text("name") { $0.team.settings.name.rawValue }
            $0.text("initial") { Initial.of($0.team.settings.name.rawValue) }
            $0.flag("current") { $0.isCurrent }
        }
    }

    private var rows: [Row] {
        context.account.rights.memberships.map { Row(team: $0.team, isCurrent: $0.team.id == context.teamID) }
    }

    static let fields = Fields<Chrome> {
        $0.text("teamID") { $0.context.teamID.rawValue }
        $0.text("teamName") { $0.context.team.settings.name.rawValue }
        $0.text("teamInitial") { Initial.of($0.context.team.settings.name.rawValue) }
        $0.flag("sandbox") { $0.context.team.settings.mode == .sandbox }
        $0.list("teams", Row.fields) { $0.rows }
        $0.optionalText("newTeamURL") { $0.context.account.isOperator ? ConsoleRoutes.newTeam.link() : nil }
        $0.group("at", Section.fields) { $0.context.section }
        $0.group("person", PersonView.fields) { $0.context.account.person }
        $0.text("accountURL") { _ in TeamRoutes.account.link(.system) }
        $0.optionalText("operatorURL") { $0.context.account.isOperator ? OperatorRoutes.health.link() : nil }
        $0.text("signOutURL") { _ in TeamRoutes.sessionEnd.link(.system) }
        $0.text("csrf") { $0.context.accountContext.formToken }
        $0.optionalGroup("flash", Flash.fields) { $0.context.accountContext.flash }
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

/// Section of a team's pages, as listed in the sidebar.
enum Section: String, CaseIterable, Sendable {
    case overview
    case appIDs
    case serviceIDs
    case keys
    case apple
    case emailSources
    case signingKeys
    case users
    case traces
    case notifications
    case audit
    case checkup
    case members
    case settings

    static let fields = Fields<Section> { fields in
        for section in allCases { fields.flag(section.rawValue) { $0 == section } }
    }
}

/// Error page in the console's layout.
struct ConsoleErrorPage: PlainPage {
    static let template = "console/error"
    static let fields = frameFields.with {
        $0.text("status") { String($0.problem.status.code) }
        $0.words("headline") { $0.problem.headline }
        $0.words("message") { $0.problem.message }
        $0.words("advice") { $0.problem.advice }
        $0.group("requestID", CopyView.fields) { CopyView(Message("console.errors.copy-reference"), $0.requestID) }
    }

    let frame: PlainFrame
    let problem: UserFacingError
    let requestID: String
}

/// A request of a console account to a page outside any team.
struct AccountContext: Sendable {
    let request: Request
    let site: Site
    let account: Account
    /// Message about the last change, to be shown once.
    let flash: Flash?

    /// Form token (against cross-site request forgery) for the forms on the page.
    var formToken: String { site.formTokens.token(for: account.browser) }
    var actor: Actor { .member(account.subject) }
    var origin: Origin { request.auditOrigin }

    /// Title, assets and navigation of a page outside any team.
    func frame(_ title: any LocalizedTextConvertible) -> PlainFrame {
        PlainFrame(title: title.localizedText, assets: site.assets, chrome: PlainChrome(self))
    }

    /// Redirects with GET after a successful form; the next page shows `flash`.
    func redirect(to path: String, saying flash: Flash? = nil) -> Response {
        var response = Response.redirect(to: path)
        if let flash { response.set(flash.cookie(for: account.browser, site)) }
        return response
    }
}

/// A request to a page of a team by a member with the right that the route needs.
struct TeamContext: Sendable {
    let accountContext: AccountContext
    let membership: Membership
    let section: Section

    var request: Request { accountContext.request }
    var site: Site { accountContext.site }
    var account: Account { accountContext.account }
    var team: Team { membership.team }
    var teamID: TeamID { membership.team.id }
    var role: Role { membership.role }
    var actor: Actor { accountContext.actor }
    var origin: Origin { accountContext.origin }

    /// Whether the member has the right; pages omit controls for which the right is missing.
    func may(_ right: Right) -> Bool { role.rights.contains(right) }

    /// Title, assets and navigation of a page of the team.
    func frame(_ title: any LocalizedTextConvertible) -> ConsoleFrame {
        let title = Message("console.frame.title", ["page": title, "team": team.settings.name.rawValue])
        return ConsoleFrame(title: title.localizedText, assets: site.assets, chrome: Chrome(self))
    }

    /// Redirects with GET after a successful form; the next page shows `flash`.
    func redirect(to path: String, saying flash: Flash? = nil) -> Response {
        accountContext.redirect(to: path, saying: flash)
    }
}

extension Response {
    /// A response that no cache stores and whose type no browser guesses.
    static func unstored(_ text: String, type: String) -> Response {
        var response = Response(body: Array(text.utf8))
        response.append(.contentType, type)
        response.append(.cacheControl, "no-store")
        response.append(.xContentTypeOptions, "nosniff")
        return response
    }

    /// A file to save, which no cache stores.
    ///
    /// - Parameter name: letters, digits, dots, hyphens and underscores, which need no escaping.
    static func attachment(_ text: String, named name: String, type: String) -> Response {
        var response = unstored(text, type: type)
        response.append(.contentDisposition, "attachment; filename=\"\(name)\"")
        return response
    }

    /// A file to save that is sent as it is read.
    static func attachment(_ stream: BodyStream, named name: String, type: String) -> Response {
        Response(
            fields: [
                HeaderField(.contentType, type), HeaderField(.contentDisposition, "attachment; filename=\"\(name)\""),
                HeaderField(.cacheControl, "no-store"), HeaderField(.xContentTypeOptions, "nosniff"),
            ], stream: stream)
    }
}
