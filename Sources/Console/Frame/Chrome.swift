import Domain
import HTTP
import SignIn
import Templates
import Tenancy
import Web

/// What surrounds a page inside a team: the bar with the teams, the sections, the person.
struct Chrome: Sendable {
    private let scope: Scope

    init(_ scope: Scope) {
        self.scope = scope
    }

    private struct Row: Sendable {
        let team: Team
        let isCurrent: Bool

        static let fields = Fields<Row>()
            .text("url") { ConsoleRoutes.overview.link($0.team.id) }
            .text("name") { $0.team.settings.name.rawValue }
            .text("initial") { Initial.of($0.team.settings.name.rawValue) }
            .flag("current") { $0.isCurrent }
    }

    private var rows: [Row] {
        scope.account.rights.memberships.map { Row(team: $0.team, isCurrent: $0.team.id == scope.teamID) }
    }

    static let fields = Fields<Chrome>()
        .text("teamID") { $0.scope.teamID.rawValue }
        .text("teamName") { $0.scope.team.settings.name.rawValue }
        .text("teamInitial") { Initial.of($0.scope.team.settings.name.rawValue) }
        .flag("sandbox") { $0.scope.team.settings.mode == .sandbox }
        .list("teams", Row.fields) { $0.rows }
        .optionalText("newTeamURL") { $0.scope.account.isOperator ? ConsoleRoutes.newTeam.link() : nil }
        .group("at", Section.fields) { $0.scope.section }
        .group("person", PersonView.fields) { $0.scope.account.person }
        .text("accountURL") { _ in TeamRoutes.account.link(.system) }
        .optionalText("operatorURL") { $0.scope.account.isOperator ? OperatorRoutes.health.link() : nil }
        .text("signOutURL") { _ in TeamRoutes.sessionEnd.link(.system) }
        .text("csrf") { $0.scope.visit.formToken }
        .optionalGroup("flash", Flash.fields) { $0.scope.visit.flash }
}

/// What surrounds a page outside of any team; without a person on refusals that nobody is known to have asked for.
struct PlainChrome: Sendable {
    private let visit: Visit?

    init(_ visit: Visit?) {
        self.visit = visit
    }

    static let fields = Fields<PlainChrome>()
        .optionalGroup("person", PersonView.fields) { $0.visit?.account.person }
        .text("accountURL") { _ in TeamRoutes.account.link(.system) }
        .optionalText("operatorURL") {
            $0.visit?.account.isOperator == true ? OperatorRoutes.health.link() : nil
        }
        .text("signOutURL") { _ in TeamRoutes.sessionEnd.link(.system) }
        .text("csrf") { $0.visit?.formToken ?? "" }
        .optionalGroup("flash", Flash.fields) { $0.visit?.flash }
}
