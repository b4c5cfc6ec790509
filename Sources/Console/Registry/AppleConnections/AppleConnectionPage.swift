import Bytes
import Doctor
import Domain
import HTTP
import Registry
import Templates
import Web

/// One connection: whether it works, what to enter at Apple, its values, its end.
struct AppleConnectionPage: ConsolePage {
    static let template = "console/apple/show"
    static let fields =
        frameFields
        .text("name") { $0.name }
        .group("appID", CopyView.fields) {
            CopyView(Phrase("console.apple.app-id"), $0.connection.appID.rawValue)
        }
        .text("appURL") { ConsoleRoutes.appID.link($0.team, $0.connection.appID) }
        .group("state", BadgeView.fields) { $0.tests.badge }
        .optionalGroup("tested", TimeView.fields) { $0.tests.first.map { TimeView($0.testedAt) } }
        .optionalText("testURL") { $0.testURL }
        .optionalWords("testError") { $0.testWait.map(Phrase.appleTestLimited) }
        .list("tests", AppleTestRow.fields) { page in
            ConnectionVerdict.all(
                of: page.tests,
                servicesID: page.connection.servicesID,
                isStandIn: page.standIn != nil
            ).map(AppleTestRow.init)
        }
        .optionalWords("unasked") { $0.unasked }
        .flag("unused") { !$0.isUsed }
        .text("settingsURL") { "\(SettingsRoutes.settings.link($0.team))#sources-heading" }
        .group("values", AppleValues.fields) { $0.values }
        .group("servicesID", CopyView.fields) {
            CopyView(Phrase("console.apple.services-id"), $0.connection.servicesID.rawValue)
        }
        .group("keyID", CopyView.fields) {
            CopyView(Phrase("console.apple.key"), $0.connection.keyID.rawValue)
        }
        .text("keyURL") { RegistryRoutes.appleKeys.one.link($0.team, $0.connection.keyID) }
        .group("teamID", CopyView.fields) {
            CopyView(Phrase("console.apple-keys.team"), $0.connection.appleTeamID.rawValue)
        }
        .optionalGroup("standIn", StandInView.fields) { $0.standIn }
        .optionalGroup("editing", Editing.fields) { $0.editing }
        .optionalGroup("danger", DangerView.fields) { $0.danger }

    /// The form of its values.
    struct Editing: Sendable {
        let action: String
        let checkURL: String
        let version: Int
        let form: AppleConnectionForm
        let problems: FormProblems
        let keys: [AppleKey]

        static let fields = Fields<Editing>()
            .text("action") { $0.action }
            .text("checkURL") { $0.checkURL }
            .text("version") { String($0.version) }
            .list("errors", FormError.fields) { $0.form.summary(of: $0.problems) }
            .group("servicesID", FieldView.fields) { $0.form.servicesIDField($0.problems) }
            .group("keyID", SelectView.fields) { $0.form.keySelect(of: $0.keys, $0.problems) }
    }

    /// Where a stand-in is in Apple's place.
    struct StandInView: Sendable {
        let teamID: String
        let pageURL: String
        /// Nil for who may not change anything.
        let registerURL: String?

        static let fields = Fields<StandInView>()
            .text("teamID") { $0.teamID }
            .text("pageURL") { $0.pageURL }
            .optionalText("registerURL") { $0.registerURL }
    }

    let frame: ConsoleFrame
    let team: TeamID
    /// What the App ID is called.
    let name: String
    let connection: AppleConnection
    /// Of the values as they are now, the Services ID first.
    let tests: [AppleConnectionTest]
    /// How many of its bundle IDs the tests say nothing of; nil where there are none, or no tests.
    let unasked: Phrase?
    /// Whether the team lets people sign in at Apple at all.
    let isUsed: Bool
    let values: AppleValues
    let testURL: String?
    /// How long the next test has to wait, where one was asked for too early.
    let testWait: Duration?
    let standIn: StandInView?
    let editing: Editing?
    let danger: DangerView?
}
