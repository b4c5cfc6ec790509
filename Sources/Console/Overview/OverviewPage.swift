import Bytes
import Localization
import Templates
import Web

/// The overview of a team.
struct OverviewPage: ConsolePage {
    static let template = "console/overview"
    static let fields = frameFields.with {
        $0.optionalGroup("setup", Checklist.fields) { $0.checklist.isComplete ? nil : $0.checklist }
        $0.list("counts", Count.fields) { $0.counts }
        $0.group("activity", Activity.fields) { $0.activity }
        $0.list("failures", TraceListPage.Row.fields) { $0.failures }
        $0.list("attention", AttentionRow.fields) { $0.attention }
        $0.list("endpoints", CopyView.fields) { $0.endpoints }
        $0.list("events", AuditLine.fields) { $0.events }
    }

    /// Number of items of one kind, with the URL of their list.
    struct Count: Sendable {
        let label: Message
        let value: LocalizedText
        let url: String

        static let fields = Fields<Count> {
            $0.words("label") { $0.label }
            $0.words("value") { $0.value }
            $0.text("url") { $0.url }
        }
    }

    let frame: ConsoleFrame
    let checklist: Checklist
    let counts: [Count]
    let activity: Activity
    let failures: [TraceListPage.Row]
    let attention: [AttentionRow]
    let endpoints: [CopyView]
    let events: [AuditLine]
}
