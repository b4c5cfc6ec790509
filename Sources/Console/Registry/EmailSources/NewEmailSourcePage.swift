import Registry
import Templates
import Web

/// The form for a new e-mail source.
struct NewEmailSourcePage: ConsolePage {
    static let template = "console/email-sources/new"
    static let fields =
        frameFields
        .text("action") { $0.action }
        .text("checkURL") { $0.checkURL }
        .list("errors", FormError.fields) { $0.form.summary(of: $0.problems) }
        .group("source", FieldView.fields) { $0.form.sourceField($0.problems) }
        .group("selectors", TextareaView.fields) { $0.form.selectorsArea($0.problems) }

    let frame: ConsoleFrame
    let action: String
    let checkURL: String
    let form: EmailSourceForm
    let problems: FormProblems
}
