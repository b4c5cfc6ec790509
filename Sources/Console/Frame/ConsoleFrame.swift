import Core
import HTTP
import Platform
import Registry
import SignIn
import Templates

/// Title, assets and navigation that every page of a team has; `TeamContext.frame` creates it.
struct ConsoleFrame: PageFrame {
    let title: LocalizedText
    let assets: AssetLinks
    let chrome: Chrome

    static func declare<Page: FramedPage<Self>>(in fields: inout Fields<Page>) {
        fields.group("chrome", Chrome.fields) { $0.frame.chrome }
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

    /// The scheduled deletion of the team.
    private struct Deletion: Sendable {
        let due: Timestamp
        let context: TeamContext

        static let fields = Fields<Deletion> {
            $0.words("words") { deletion in
                deletion.context.team.closedAt != nil
                    ? Message("console.frame.deletion.closed")
                    : Message("console.frame.deletion", ["time": deletion.due])
            }
            $0.optionalText("url") { deletion in
                let settings = SettingsRoutes.settings.link(deletion.context.teamID)
                return deletion.context.may(.dangerZone) ? "\(settings)#due-heading" : nil
            }
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
        $0.optionalGroup("deletion", Deletion.fields) { chrome in
            chrome.context.team.deletionDueAt.map { Deletion(due: $0, context: chrome.context) }
        }
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

/// Error page in the console's layout.
struct ConsoleErrorPage: FramedPage {
    static let template = "console/error"
    static let fields = frameFields.with {
        $0.text("status") { String($0.problem.status.code) }
        $0.words("headline") { $0.problem.headline }
        $0.words("message") { $0.problem.message }
        $0.words("advice") { $0.problem.advice }
        $0.group("requestID", CopyView.fields) { CopyView(Message("console.errors.copy-reference"), $0.requestID) }
        $0.text("nextURL") { $0.next.url }
        $0.words("nextLabel") { $0.next.label }
    }

    let frame: PlainFrame
    let problem: UserFacingError
    let requestID: String
    let next: WayOn
}
