import Registry
import Templates
import Web

/// The form that takes a key from Apple in.
struct NewAppleKeyPage: ConsolePage {
    static let template = "console/apple-keys/new"
    static let fields =
        frameFields
        .text("action") { $0.action }
        .text("checkURL") { $0.checkURL }
        .list("errors", FormError.fields) { $0.form.summary(of: $0.problems) }
        .group("privateKey", TextareaView.fields) { $0.form.privateKeyArea($0.problems) }
        .group("id", FieldView.fields) { $0.form.idField($0.problems) }
        .group("appleTeamID", FieldView.fields) { $0.form.teamField($0.problems) }
        .group("name", FieldView.fields) { $0.form.nameField($0.problems) }
        .group("appID", SelectView.fields) { $0.form.appIDSelect(of: $0.primaries, $0.problems) }
        .optionalGroup("standIn", StandInSteps.fields) { $0.standIn }

    let frame: ConsoleFrame
    let action: String
    let checkURL: String
    let form: AppleKeyForm
    let problems: FormProblems
    let primaries: [AppID]
    let standIn: StandInSteps?
}
