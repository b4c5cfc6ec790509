import Domain
import Registry
import Templates
import Web

/// The form for a new App ID.
struct NewAppIDPage: ConsolePage {
    static let template = "console/app-ids/new"
    static let fields =
        frameFields
        .text("action") { $0.action }
        .text("checkURL") { $0.checkURL }
        .list("errors", FormError.fields) { $0.problems.summary() }
        .group("identifier", FieldView.fields) { $0.form.identifierField($0.problems) }
        .group("description", FieldView.fields) { $0.form.descriptionField($0.problems) }
        .group("primary", SelectView.fields) { $0.form.primarySelect(of: $0.primaries, $0.problems) }
        .group("signIn", CheckboxView.fields) { $0.form.signInBox }

    let frame: ConsoleFrame
    let action: String
    let checkURL: String
    let form: AppIDForm
    let problems: FormProblems
    let primaries: [AppID]
}
