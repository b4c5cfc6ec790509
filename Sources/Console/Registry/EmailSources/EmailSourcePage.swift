import Bytes
import Domain
import HTTP
import Registry
import Templates
import Web

/// One e-mail source: each record it needs, as it was found and as it shall be.
struct EmailSourcePage: ConsolePage {
    static let template = "console/email-sources/show"
    static let fields =
        frameFields
        .text("name") { $0.source.identity }
        .group("state", BadgeView.fields) { $0.source.state.badge }
        .optionalGroup("checked", TimeView.fields) { $0.source.checkedAt.map(TimeView.init) }
        .optionalText("checkURL") { $0.checkURL }
        .optionalWords("checkError") { $0.checkWait.map(Phrase.checksLimited) }
        .list("records", MailRecordView.fields) { $0.source.records.map(MailRecordView.init) }
        .flag("hasSelectors") { !$0.source.selectors.isEmpty }
        .optionalGroup("editing", Editing.fields) { $0.editing }
        .optionalGroup("danger", DangerView.fields) { $0.danger }

    /// The form of its selectors.
    struct Editing: Sendable {
        let action: String
        let checkURL: String
        let version: Int
        let form: EmailSourceForm
        let problems: FormProblems

        static let fields = Fields<Editing>()
            .text("action") { $0.action }
            .text("checkURL") { $0.checkURL }
            .text("version") { String($0.version) }
            .list("errors", FormError.fields) { $0.form.summary(of: $0.problems) }
            .group("selectors", TextareaView.fields) { $0.form.selectorsArea($0.problems) }
    }

    let frame: ConsoleFrame
    let source: RegisteredEmailSource
    let checkURL: String?
    /// How long the next check has to wait, where one was asked for too early.
    let checkWait: Duration?
    let editing: Editing?
    let danger: DangerView?
}
