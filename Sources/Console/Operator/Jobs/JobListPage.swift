import Bytes
import Domain
import HTTP
import Jobs
import Templates
import Web

/// The jobs of all teams.
struct JobListPage: OperatorPage {
    static let template = "console/operator/jobs/index"
    static let fields =
        frameFields
        .text("action") { _ in OperatorRoutes.jobs.link() }
        .group("state", SelectView.fields) { $0.filter.stateField }
        .group("kind", FieldView.fields) { $0.filter.kindField }
        .group("team", FieldView.fields) { $0.filter.teamField }
        .list("chips", ChipView.fields) { $0.filter.chips }
        .text("clearURL") { _ in OperatorRoutes.jobs.link() }
        .list("rows", Row.fields) { $0.rows }
        .group("paging", PagingView.fields) { $0.paging }

    struct Row: Sendable {
        let job: JobSummary
        let teamName: String

        static let fields = Fields<Row>()
            .text("url") { OperatorRoutes.job.link($0.job.team, $0.job.id) }
            .words("name") { JobWords.name(ofKind: $0.job.kind) }
            .text("kind") { $0.job.kind }
            .text("team") { $0.teamName }
            .text("teamID") { $0.job.team.rawValue }
            .group("state", BadgeView.fields) { $0.job.state.badge }
            .integer("attempts") { $0.job.attempts }
            .group("created", TimeView.fields) { TimeView($0.job.createdAt) }
            .optionalGroup("next", TimeView.fields) { row in
                row.job.state == .waiting ? TimeView(row.job.dueAt) : nil
            }
    }

    let frame: OperatorFrame
    let filter: JobFilter
    let rows: [Row]
    let paging: PagingView
}
