import Bytes
import Domain
import HTTP
import Jobs
import Templates
import Web

/// List of the jobs of all teams.
struct JobListPage: OperatorPage {
    static let template = "console/operator/jobs/index"
    static let fields = frameFields.with {
        $0.text("action") { _ in OperatorRoutes.jobs.link() }
        $0.group("state", SelectView.fields) { $0.filter.stateField }
        $0.group("kind", FieldView.fields) { $0.filter.kindField }
        $0.group("team", FieldView.fields) { $0.filter.teamField }
        $0.list("chips", ChipView.fields) { $0.filter.chips }
        $0.text("clearURL") { _ in OperatorRoutes.jobs.link() }
        $0.list("rows", Row.fields) { $0.rows }
        $0.group("paging", PagingView.fields) { $0.paging }
    }

    struct Row: Sendable {
        let job: JobSummary
        let teamName: String

        static let fields = Fields<Row> {
            $0.text("url") { OperatorRoutes.job.link($0.job.team, $0.job.id) }
            $0.words("name") { JobMessages.name(ofKind: $0.job.kind) }
            $0.text("kind") { $0.job.kind }
            $0.text("team") { $0.teamName }
            $0.text("teamID") { $0.job.team.rawValue }
            $0.group("state", BadgeView.fields) { $0.job.state.badge }
            $0.integer("attempts") { $0.job.attempts }
            $0.group("created", TimeView.fields) { TimeView($0.job.createdAt) }
            $0.optionalGroup("next", TimeView.fields) { row in row.job.state == .waiting ? TimeView(row.job.dueAt) : nil
            }
        }
    }

    let frame: OperatorFrame
    let filter: JobFilter
    let rows: [Row]
    let paging: PagingView
}
