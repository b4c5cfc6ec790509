import Bytes
import Domain
import HTTP
import Localization
import Registry
import Templates
import Web

/// Page of one email source: each DNS record it needs, as found and as it should be.
struct EmailSourcePage: ConsolePage {
    static let template = "console/email-sources/show"
    static let fields = frameFields.with {
        $0.text("name") { $0.source.identity }
        $0.group("state", BadgeView.fields) { $0.source.state.badge }
        $0.optionalGroup("checked", TimeView.fields) { $0.source.checkedAt.map(TimeView.init) }
        $0.optionalText("checkURL") { $0.checkURL }
        $0.list("records", MailRecordView.fields) { $0.source.records.map(MailRecordView.init) }
        $0.flag("hasSelectors") { !$0.source.selectors.isEmpty }
        $0.optionalGroup("editing", Editing.fields) { $0.editing }
        $0.optionalGroup("danger", DangerView.fields) { $0.danger }
    }

    /// Form to edit the DKIM selectors.
    struct Editing: Sendable {
        let action: String
        let checkURL: String
        let version: Int
        let form: EmailSourceForm
        let problems: FormProblems

        static let fields = Fields<Editing> {
            $0.text("action") { $0.action }
            $0.text("checkURL") { $0.checkURL }
            $0.text("version") { String($0.version) }
            $0.list("errors", FormError.fields) { $0.form.summary(of: $0.problems) }
            $0.group("selectors", TextareaView.fields) { $0.form.selectorsArea($0.problems) }
        }
    }

    let frame: ConsoleFrame
    let source: RegisteredEmailSource
    let checkURL: String?
    let editing: Editing?
    let danger: DangerView?
}
