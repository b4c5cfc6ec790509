import Registry
import Templates
import Web

/// Page with the form that imports an Apple key.
struct NewAppleKeyPage: ConsolePage {
    static let template = "console/apple-keys/new"
    static let fields = frameFields.with {
        $0.text("action") { $0.action }
        $0.text("checkURL") { $0.checkURL }
        $0.list("errors", FormError.fields) { $0.form.summary(of: $0.problems) }
        $0.group("privateKey", TextareaView.fields) { $0.form.privateKeyArea($0.problems) }
        $0.group("id", FieldView.fields) { $0.form.idField($0.problems) }
        $0.group("appleTeamID", FieldView.fields) { $0.form.teamField($0.problems) }
        $0.group("name", FieldView.fields) { $0.form.nameField($0.problems) }
        $0.group("appID", SelectView.fields) { $0.form.appIDSelect(of: $0.primaries, $0.problems) }
        $0.optionalGroup("standIn", StandInSetup.fields) { $0.standIn }
    }

    let frame: ConsoleFrame
    let action: String
    let checkURL: String
    let form: AppleKeyForm
    let problems: FormProblems
    let primaries: [AppID]
    let standIn: StandInSetup?
}
