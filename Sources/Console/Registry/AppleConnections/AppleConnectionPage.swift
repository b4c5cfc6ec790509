import Bytes
import Doctor
import Domain
import HTTP
import Localization
import Registry
import Templates
import Web

/// Page of one connection: test results, values to enter at Apple, settings, deletion.
struct AppleConnectionPage: ConsolePage {
    static let template = "console/apple/show"
    static let fields = frameFields.with {
        $0.text("name") { $0.name }
        $0.group("appID", CopyView.fields) { CopyView(Message("console.apple.app-id"), $0.connection.appID.rawValue) }
        $0.text("appURL") { ConsoleRoutes.appID.link($0.team, $0.connection.appID) }
        $0.group("state", BadgeView.fields) { $0.tests.badge }
        $0.optionalGroup("tested", TimeView.fields) { $0.tests.first.map { TimeView($0.testedAt) } }
        $0.optionalText("testURL") { $0.testURL }
        $0.list("tests", AppleTestRow.fields) { page in
            ConnectionVerdict.all(
                of: page.tests, servicesID: page.connection.servicesID, isStandIn: page.standIn != nil
            ).map(AppleTestRow.init)
        }
        $0.optionalWords("unasked") { $0.unasked }
        $0.flag("unused") { !$0.isUsed }
        $0.text("settingsURL") { "\(SettingsRoutes.settings.link($0.team))#sources-heading" }
        $0.group("values", AppleValues.fields) { $0.values }
        $0.group("servicesID", CopyView.fields) {
            CopyView(Message("console.apple.services-id"), $0.connection.servicesID.rawValue)
        }
        $0.group("keyID", CopyView.fields) { CopyView(Message("console.apple.key"), $0.connection.keyID.rawValue) }
        $0.text("keyURL") { RegistryRoutes.appleKeys.one.link($0.team, $0.connection.keyID) }
        $0.group("teamID", CopyView.fields) {
            CopyView(Message("console.apple-keys.team"), $0.connection.appleTeamID.rawValue)
        }
        $0.optionalGroup("standIn", StandInView.fields) { $0.standIn }
        $0.optionalGroup("editing", Editing.fields) { $0.editing }
        $0.optionalGroup("danger", DangerView.fields) { $0.danger }
    }

    /// Form to edit the connection.
    struct Editing: Sendable {
        let action: String
        let checkURL: String
        let version: Int
        let form: AppleConnectionForm
        let problems: FormProblems
        let keys: [AppleKey]

        static let fields = Fields<Editing> {
            $0.text("action") { $0.action }
            $0.text("checkURL") { $0.checkURL }
            $0.text("version") { String($0.version) }
            $0.list("errors", FormError.fields) { $0.form.summary(of: $0.problems) }
            $0.group("servicesID", FieldView.fields) { $0.form.servicesIDField($0.problems) }
            $0.group("keyID", SelectView.fields) { $0.form.keySelect(of: $0.keys, $0.problems) }
        }
    }

    /// Links to the Apple simulator, if it replaces Apple.
    struct StandInView: Sendable {
        let teamID: String
        let pageURL: String
        /// Nil for a member without the right to change connections.
        let registerURL: String?

        static let fields = Fields<StandInView> {
            $0.text("teamID") { $0.teamID }
            $0.text("pageURL") { $0.pageURL }
            $0.optionalText("registerURL") { $0.registerURL }
        }
    }

    let frame: ConsoleFrame
    let team: TeamID
    /// Description of the App ID.
    let name: String
    let connection: AppleConnection
    /// Tests of the current key and Apple team, that of the Apple Services ID first.
    let tests: [AppleConnectionTest]
    /// Number of bundle IDs that were not tested; nil if there are none, or no tests.
    let unasked: Message?
    /// Whether Apple is one of the team's identity sources.
    let isUsed: Bool
    let values: AppleValues
    let testURL: String?
    let standIn: StandInView?
    let editing: Editing?
    let danger: DangerView?
}
