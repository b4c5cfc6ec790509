import Bytes
import Domain
import HTTP
import Registry
import Templates
import Tenancy
import Web

/// Page about sign-in with Apple: the team's identity sources, its connections, and unconnected App IDs.
struct AppleConnectionListPage: ConsolePage {
    static let template = "console/apple/index"
    static let fields = frameFields.with {
        $0.words("sources") { SourceChoice(Set($0.sources)).words }
        $0.text("settingsURL") { "\(SettingsRoutes.settings.link($0.team))#sources-heading" }
        $0.flag("unused") { !$0.sources.contains(.apple) && !$0.rows.isEmpty }
        $0.flag("unconnected") { $0.sources.contains(.apple) && $0.rows.isEmpty }
        $0.list("rows", Row.fields) { $0.rows }
        $0.list("others", Other.fields) { $0.others }
        $0.optionalText("newURL") { $0.newURL }
        $0.flag("hasAppIDs") { $0.hasAppIDs }
        $0.optionalGroup("standIn", StandInSetup.fields) { $0.standIn }
    }

    /// One connection.
    struct Row: Sendable {
        let team: TeamID
        let name: String
        let connection: AppleConnection
        let tests: [AppleConnectionTest]

        static let fields = Fields<Row> {
            $0.text("url") { RegistryRoutes.appleConnections.one.link($0.team, $0.connection.appID) }
            $0.text("name") { $0.name }
            $0.text("appID") { $0.connection.appID.rawValue }
            $0.text("servicesID") { $0.connection.servicesID.rawValue }
            $0.group("state", BadgeView.fields) { $0.tests.badge }
            $0.optionalGroup("tested", TimeView.fields) { $0.tests.first.map { TimeView($0.testedAt) } }
        }
    }

    /// A primary App ID that is not connected.
    struct Other: Sendable {
        let team: TeamID
        let appID: AppID
        let mayConnect: Bool

        static let fields = Fields<Other> {
            $0.text("name") { $0.appID.description }
            $0.text("appID") { $0.appID.identifier.rawValue }
            $0.optionalText("connectURL") {
                $0.mayConnect ? AppleConnectionResource.newURL(for: $0.appID.identifier, in: $0.team) : nil
            }
        }
    }

    let frame: ConsoleFrame
    let team: TeamID
    let sources: [IdentitySource]
    let rows: [Row]
    let others: [Other]
    let newURL: String?
    let hasAppIDs: Bool
    /// Instructions for the Apple simulator, if it replaces Apple.
    let standIn: StandInSetup?
}
