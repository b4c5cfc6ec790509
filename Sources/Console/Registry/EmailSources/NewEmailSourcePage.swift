import Registry
import Templates
import Web

/// Page with the form for a new email source.
struct NewEmailSourcePage: ConsolePage {
    static let template = "console/email-sources/new"
    static let fields = frameFields.with {
        $0.text("action") { $0.action }
        $0.text("checkURL") { $0.checkURL }
        $0.list("errors", FormError.fields) { $0.form.summary(of: $0.problems) }
        $0.group("source", FieldView.fields) { $0.form.sourceField($0.problems) }
        $0.group("selectors", TextareaView.fields) { $0.form.selectorsArea($0.problems) }
    }

    let frame: ConsoleFrame
    let action: String
    let checkURL: String
    let form: EmailSourceForm
    let problems: FormProblems
}
