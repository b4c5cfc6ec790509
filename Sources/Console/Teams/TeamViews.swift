import Bytes
import Domain
import HTTP
import Templates
import Tenancy
import Web

/// The teams of this person; an operator sees every team's name.
struct TeamListPage: PlainPage {
    static let template = "console/teams/index"
    static let fields =
        frameFields
        .optionalText("newTeamURL") { $0.mayCreate ? ConsoleRoutes.newTeam.link() : nil }
        .list("teams", Row.fields) { $0.teams }
        .optionalGroup("paging", PagingView.fields) { $0.paging }

    struct Row: Sendable {
        let team: Team
        /// Nil: an operator who is not a member, and so cannot enter.
        let role: Role?

        static let fields = Fields<Row>()
            .optionalText("url") { $0.role == nil ? nil : ConsoleRoutes.overview.link($0.team.id) }
            .text("name") { $0.team.settings.name.rawValue }
            .text("id") { $0.team.id.rawValue }
            .text("initial") { Initial.of($0.team.settings.name.rawValue) }
            .words("role") { $0.role?.words ?? Phrase("console.teams.no-member") }
            .flag("sandbox") { $0.team.settings.mode == .sandbox }
    }

    let frame: PlainFrame
    let mayCreate: Bool
    let teams: [Row]
    let paging: PagingView?
}

/// An operator creates a team.
struct NewTeamPage: PlainPage {
    static let template = "console/teams/new"
    static let fields =
        frameFields
        .text("action") { _ in ConsoleRoutes.teams.link() }
        .list("errors", FormError.fields) { $0.form.errors.summary }
        .group("name", FieldView.fields) { $0.form.nameView }
        .group("teamID", FieldView.fields) { $0.form.teamIDView }
        .group("mode", ChoicesView.fields) { $0.form.modeView }

    let frame: PlainFrame
    var form: NewTeamForm
}
