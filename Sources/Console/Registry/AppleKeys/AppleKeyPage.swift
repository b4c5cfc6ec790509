import Bytes
import Domain
import HTTP
import Registry
import Templates
import Web

/// One key from Apple: what is known of it, its name, its end.
struct AppleKeyPage: ConsolePage {
    static let template = "console/apple-keys/show"
    static let fields =
        frameFields
        .text("name") { $0.appleKey.name }
        .group("keyID", CopyView.fields) {
            CopyView(Phrase("console.apple-keys.id"), $0.appleKey.id.rawValue)
        }
        .group("appID", appIDFields) { $0 }
        .group("teamID", CopyView.fields) {
            CopyView(Phrase("console.apple-keys.team"), $0.appleKey.appleTeamID.rawValue)
        }
        .group("fingerprint", CopyView.fields) {
            CopyView(Phrase("console.apple-keys.fingerprint"), $0.appleKey.fingerprint)
        }
        .group("created", TimeView.fields) { TimeView($0.appleKey.createdAt) }
        .optionalText("connectURL") { $0.connectURL }
        .optionalGroup("editing", Editing.fields) { $0.editing }
        .optionalGroup("danger", DangerView.fields) { $0.danger }

    private static let appIDFields = Fields<AppleKeyPage>()
        .text("url") { ConsoleRoutes.appID.link($0.team, $0.appleKey.appID) }
        .text("identifier") { $0.appleKey.appID.rawValue }

    /// The form of its name and team.
    struct Editing: Sendable {
        let action: String
        let checkURL: String
        let version: Int
        let form: AppleKeyForm
        let problems: FormProblems

        static let fields = Fields<Editing>()
            .text("action") { $0.action }
            .text("checkURL") { $0.checkURL }
            .text("version") { String($0.version) }
            .list("errors", FormError.fields) { $0.form.summary(of: $0.problems) }
            .group("name", FieldView.fields) { $0.form.nameField($0.problems) }
            .group("appleTeamID", FieldView.fields) { $0.form.teamField($0.problems) }
    }

    let frame: ConsoleFrame
    let team: TeamID
    let appleKey: AppleKey
    /// The form that connects its App ID to Apple; nil once that is connected.
    let connectURL: String?
    let editing: Editing?
    let danger: DangerView?
}
