import Bytes
import Domain
import HTTP
import Localization
import Registry
import Templates
import Web

/// Page of one Apple key: its properties, settings, removal.
struct AppleKeyPage: ConsolePage {
    static let template = "console/apple-keys/show"
    static let fields = frameFields.with {
        $0.text("name") { $0.appleKey.name }
        $0.group("keyID", CopyView.fields) { CopyView(Message("console.apple-keys.id"), $0.appleKey.id.rawValue) }
        $0.group("appID", appIDFields) { $0 }
        $0.group("teamID", CopyView.fields) {
            CopyView(Message("console.apple-keys.team"), $0.appleKey.appleTeamID.rawValue)
        }
        $0.group("fingerprint", CopyView.fields) {
            CopyView(Message("console.apple-keys.fingerprint"), $0.appleKey.fingerprint)
        }
        $0.group("created", TimeView.fields) { TimeView($0.appleKey.createdAt) }
        $0.optionalText("connectURL") { $0.connectURL }
        $0.optionalGroup("editing", Editing.fields) { $0.editing }
        $0.optionalGroup("danger", DangerView.fields) { $0.danger }
    }

    private static let appIDFields = Fields<AppleKeyPage> {
        $0.text("url") { ConsoleRoutes.appID.link($0.team, $0.appleKey.appID) }
        $0.text("identifier") { $0.appleKey.appID.rawValue }
    }

    /// Form to edit the key's name and Apple team.
    struct Editing: Sendable {
        let action: String
        let checkURL: String
        let version: Int
        let form: AppleKeyForm
        let problems: FormProblems

        static let fields = Fields<Editing> {
            $0.text("action") { $0.action }
            $0.text("checkURL") { $0.checkURL }
            $0.text("version") { String($0.version) }
            $0.list("errors", FormError.fields) { $0.form.summary(of: $0.problems) }
            $0.group("name", FieldView.fields) { $0.form.nameField($0.problems) }
            $0.group("appleTeamID", FieldView.fields) { $0.form.teamField($0.problems) }
        }
    }

    let frame: ConsoleFrame
    let team: TeamID
    let appleKey: AppleKey
    /// URL of the form that connects the key's App ID to Apple; nil if connected, or without the right to change keys.
    let connectURL: String?
    let editing: Editing?
    let danger: DangerView?
}
