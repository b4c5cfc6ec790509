import Domain
import HTTP
import Hosted
import Templates
import Tenancy
import Web

/// Navigation around a page of a team: list of teams, sections, signed-in user.
struct Chrome: Sendable {
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
