import Registry
import Templates
import Web

/// Page with the form for a new Service ID.
struct NewServiceIDPage: ConsolePage {
    static let template = "console/service-ids/new"
    static let fields = frameFields.with {
        $0.text("action") { $0.action }
        $0.text("checkURL") { $0.checkURL }
        $0.list("errors", FormError.fields) { $0.form.summary(of: $0.problems) }
        $0.group("appID", SelectView.fields) { $0.form.appIDSelect(of: $0.appIDs, $0.problems) }
        $0.group("identifier", FieldView.fields) { $0.form.identifierField($0.problems) }
        $0.group("description", FieldView.fields) { $0.form.descriptionField($0.problems) }
        $0.group("domains", TextareaView.fields) { $0.form.domainsArea($0.problems) }
        $0.group("returnURLs", ReturnURLsView.fields) { $0.form.returnURLsView($0.problems) }
    }

    let frame: ConsoleFrame
    let action: String
    let checkURL: String
    let form: ServiceIDForm
    let problems: FormProblems
    let appIDs: [AppID]
}
