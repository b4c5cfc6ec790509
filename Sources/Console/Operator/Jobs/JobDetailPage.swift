import Bytes
import Domain
import HTTP
import Jobs
import Localization
import Templates
import Web

/// A job with its payload, result and last problem.
struct JobDetailPage: OperatorPage {
    static let template = "console/operator/jobs/show"
    static let fields = frameFields.with {
        $0.text("listURL") { _ in OperatorRoutes.jobs.link() }
        $0.words("name") { JobMessages.name(ofKind: $0.job.summary.kind) }
        $0.text("kind") { $0.job.summary.kind }
        $0.group("state", BadgeView.fields) { $0.job.summary.state.badge }
        $0.group("id", CopyView.fields) { page in
            CopyView(Message("console.operator.jobs.id"), page.job.summary.id.rawValue)
        }
        $0.text("teamName") { $0.teamName }
        $0.group("teamID", CopyView.fields) { page in
            CopyView(Message("console.operator.jobs.team"), page.job.summary.team.rawValue)
        }
        $0.integer("attempts") { $0.job.summary.attempts }
        $0.optionalText("problem") { $0.job.problem }
        $0.group("created", TimeView.fields) { TimeView($0.job.summary.createdAt) }
        $0.group("due", TimeView.fields) { TimeView($0.job.summary.dueAt) }
        $0.optionalGroup("finished", TimeView.fields) { $0.job.summary.finishedAt.map { TimeView($0) } }
        $0.flag("waiting") { $0.job.summary.state == .waiting }
        $0.text("payload") { JobDetailPage.text($0.job.payload) }
        $0.optionalText("result") { $0.job.result.map(JobDetailPage.text) }
        $0.list("errors", FormError.fields) { $0.confirmation?.problems.summary() ?? [] }
        $0.optionalText("retryURL") { $0.retryURL }
        $0.optionalGroup("danger", DangerView.fields) { $0.danger }
    }

    let frame: OperatorFrame
    let job: JobDetail
    let teamName: String
    /// Rejected confirmation of a cancellation, with its errors.
    var confirmation: (typed: Confirmation, problems: FormProblems)?

    private var retryURL: String? {
        let summary = job.summary
        return [.waiting, .dead].contains(summary.state) ? OperatorRoutes.retry.link(summary.team, summary.id) : nil
    }

    private var danger: DangerView? {
        let summary = job.summary
        guard [.waiting, .running, .dead].contains(summary.state), summary.priority != .recurring else { return nil }
        let typed = confirmation?.typed ?? Confirmation(expecting: summary.kind)
        return typed.view(
            action: OperatorRoutes.cancellation.link(summary.team, summary.id),
            summary: Message("console.operator.jobs.cancel.summary"),
            consequences: [
                Message("console.operator.jobs.cancel.undone"), Message("console.operator.jobs.cancel.running"),
            ], button: Message("console.operator.jobs.cancel.button"),
            hint: Message("console.operator.jobs.reason.hint"), confirmation?.problems ?? .none)
    }

    private static func text(_ value: JSONValue) -> String {
        String(decoding: JSON.encode(value, pretty: true), as: UTF8.self)
    }
}
