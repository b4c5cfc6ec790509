import Bytes
import Domain
import HTTP
import Registry
import Templates
import Tenancy
import Web

/// How a team lets people sign in at Apple: its sources of identities, and its connections.
struct AppleConnectionListPage: ConsolePage {
    static let template = "console/apple/index"
    static let fields =
        frameFields
        .words("sources") { SourceChoice(Set($0.sources)).words }
        .text("settingsURL") { "\(SettingsRoutes.settings.link($0.team))#sources-heading" }
        .flag("unused") { !$0.sources.contains(.apple) && !$0.rows.isEmpty }
        .flag("unconnected") { $0.sources.contains(.apple) && $0.rows.isEmpty }
        .list("rows", Row.fields) { $0.rows }
        .list("others", Other.fields) { $0.others }
        .optionalText("newURL") { $0.newURL }
        .flag("hasAppIDs") { $0.hasAppIDs }
        .optionalGroup("standIn", StandInSteps.fields) { $0.standIn }

    /// One connection.
    struct Row: Sendable {
        let team: TeamID
        let name: String
        let connection: AppleConnection
        let tests: [AppleConnectionTest]

        static let fields = Fields<Row>()
            .text("url") { RegistryRoutes.appleConnections.one.link($0.team, $0.connection.appID) }
            .text("name") { $0.name }
            .text("appID") { $0.connection.appID.rawValue }
            .text("servicesID") { $0.connection.servicesID.rawValue }
            .group("state", BadgeView.fields) { $0.tests.badge }
            .optionalGroup("tested", TimeView.fields) { $0.tests.first.map { TimeView($0.testedAt) } }
    }

    /// A primary App ID that is not connected.
    struct Other: Sendable {
        let team: TeamID
        let appID: AppID
        let mayConnect: Bool

        static let fields = Fields<Other>()
            .text("name") { $0.appID.description }
            .text("appID") { $0.appID.identifier.rawValue }
            .optionalText("connectURL") {
                $0.mayConnect ? AppleConnections.newURL(for: $0.appID.identifier, in: $0.team) : nil
            }
    }

    let frame: ConsoleFrame
    let team: TeamID
    let sources: [IdentitySource]
    let rows: [Row]
    let others: [Other]
    let newURL: String?
    let hasAppIDs: Bool
    /// Where a stand-in is in Apple's place.
    let standIn: StandInSteps?
}
