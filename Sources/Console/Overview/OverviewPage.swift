import Bytes
import Templates
import Web

/// What a team lead looks at first.
struct OverviewPage: ConsolePage {
    static let template = "console/overview"
    static let fields =
        frameFields
        .optionalGroup("setup", Checklist.fields) { $0.checklist.isComplete ? nil : $0.checklist }
        .list("counts", Count.fields) { $0.counts }
        .group("activity", Activity.fields) { $0.activity }
        .list("failures", FlowListPage.Row.fields) { $0.failures }
        .list("attention", AttentionRow.fields) { $0.attention }
        .list("endpoints", CopyView.fields) { $0.endpoints }
        .list("events", AuditLine.fields) { $0.events }

    /// How many there are of something, and where.
    struct Count: Sendable {
        let label: Phrase
        let value: Words
        let url: String

        static let fields = Fields<Count>()
            .words("label") { $0.label }
            .words("value") { $0.value }
            .text("url") { $0.url }
    }

    let frame: ConsoleFrame
    let checklist: Checklist
    let counts: [Count]
    let activity: Activity
    let failures: [FlowListPage.Row]
    let attention: [AttentionRow]
    let endpoints: [CopyView]
    let events: [AuditLine]
}
