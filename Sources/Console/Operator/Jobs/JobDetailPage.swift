import Bytes
import Domain
import HTTP
import Jobs
import Templates
import Web

/// One job, with what may be shown of it.
struct JobDetailPage: OperatorPage {
    static let template = "console/operator/jobs/show"
    static let fields =
        frameFields
        .text("listURL") { _ in OperatorRoutes.jobs.link() }
        .words("name") { JobWords.name(ofKind: $0.job.summary.kind) }
        .text("kind") { $0.job.summary.kind }
        .group("state", BadgeView.fields) { $0.job.summary.state.badge }
        .group("id", CopyView.fields) { page in
            CopyView(Phrase("console.operator.jobs.id"), page.job.summary.id.rawValue)
        }
        .text("teamName") { $0.teamName }
        .group("teamID", CopyView.fields) { page in
            CopyView(Phrase("console.operator.jobs.team"), page.job.summary.team.rawValue)
        }
        .integer("attempts") { $0.job.summary.attempts }
        .optionalText("problem") { $0.job.problem }
        .group("created", TimeView.fields) { TimeView($0.job.summary.createdAt) }
        .group("due", TimeView.fields) { TimeView($0.job.summary.dueAt) }
        .optionalGroup("finished", TimeView.fields) { $0.job.summary.finishedAt.map { TimeView($0) } }
        .flag("waiting") { $0.job.summary.state == .waiting }
        .text("payload") { JobDetailPage.text($0.job.payload) }
        .optionalText("result") { $0.job.result.map(JobDetailPage.text) }
        .list("errors", FormError.fields) { $0.confirmation?.problems.summary() ?? [] }
        .optionalText("retryURL") { $0.retryURL }
        .optionalGroup("danger", DangerView.fields) { $0.danger }

    let frame: OperatorFrame
    let job: JobDetail
    let teamName: String
    /// What was typed to give it up, and what is wrong with it.
    var confirmation: (typed: Confirmation, problems: FormProblems)?

    private var retryURL: String? {
        let summary = job.summary
        return [.waiting, .dead].contains(summary.state)
            ? OperatorRoutes.retry.link(summary.team, summary.id) : nil
    }

    private var danger: DangerView? {
        let summary = job.summary
        guard [.waiting, .running, .dead].contains(summary.state) else { return nil }
        let typed = confirmation?.typed ?? Confirmation(expecting: summary.kind)
        return typed.view(
            action: OperatorRoutes.cancellation.link(summary.team, summary.id),
            summary: Phrase("console.operator.jobs.cancel.summary"),
            consequences: [
                Phrase("console.operator.jobs.cancel.undone"), Phrase("console.operator.jobs.cancel.running"),
            ],
            button: Phrase("console.operator.jobs.cancel.button"),
            hint: Phrase("console.operator.jobs.reason.hint"),
            confirmation?.problems ?? .none
        )
    }

    private static func text(_ value: JSONValue) -> String {
        String(decoding: JSON.encode(value, pretty: true), as: UTF8.self)
    }
}
