import Domain
import Registry
import Templates
import Web

/// Page with the form for a new App ID.
struct NewAppIDPage: ConsolePage {
    static let template = "console/app-ids/new"
    static let fields = frameFields.with {
        $0.text("action") { $0.action }
        $0.text("checkURL") { $0.checkURL }
        $0.list("errors", FormError.fields) { $0.problems.summary() }
        $0.group("identifier", FieldView.fields) { $0.form.identifierField($0.problems) }
        $0.group("description", FieldView.fields) { $0.form.descriptionField($0.problems) }
        $0.group("primary", SelectView.fields) { $0.form.primarySelect(of: $0.primaries, $0.problems) }
        $0.group("signIn", CheckboxView.fields) { $0.form.signInBox }
    }

    let frame: ConsoleFrame
    let action: String
    let checkURL: String
    let form: AppIDForm
    let problems: FormProblems
    let primaries: [AppID]
}
