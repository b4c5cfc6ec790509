import Bytes
import Domain
import HTTP
import Localization
import Templates
import Tenancy
import Web

/// Teams of the account; for an operator, all teams.
struct TeamListPage: PlainPage {
    static let template = "console/teams/index"
    static let fields = frameFields.with {
        $0.optionalText("newTeamURL") { $0.mayCreate ? ConsoleRoutes.newTeam.link() : nil }
        $0.list("teams", Row.fields) { $0.teams }
        $0.optionalGroup("paging", PagingView.fields) { $0.paging }
    }

    struct Row: Sendable {
        let team: Team
        /// Nil for an operator who is not a member and therefore has no access.
        let role: Role?

        static let fields = Fields<Row> {
            $0.optionalText("url") { $0.role == nil ? nil : ConsoleRoutes.overview.link($0.team.id) }
            $0.text("name") { $0.team.settings.name.rawValue }
            $0.text("id") { $0.team.id.rawValue }
            $0.text("initial") { Initial.of($0.team.settings.name.rawValue) }
            $0.words("role") { $0.role?.words ?? Message("console.teams.no-member") }
            $0.flag("sandbox") { $0.team.settings.mode == .sandbox }
        }
    }

    let frame: PlainFrame
    let mayCreate: Bool
    let teams: [Row]
    let paging: PagingView?
}

/// Form with which an operator creates a team.
struct NewTeamPage: PlainPage {
    static let template = "console/teams/new"
    static let fields = frameFields.with {
        $0.text("action") { _ in ConsoleRoutes.teams.link() }
        $0.list("errors", FormError.fields) { $0.form.errors.summary }
        $0.group("name", FieldView.fields) { $0.form.nameView }
        $0.group("teamID", FieldView.fields) { $0.form.teamIDView }
        $0.group("mode", ChoicesView.fields) { $0.form.modeView }
    }

    let frame: PlainFrame
    var form: NewTeamForm
}
