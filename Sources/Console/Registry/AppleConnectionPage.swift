import Accounts
import Core
import Directory
import Federation
import HTTP
import OAuth
import Platform
import Postgres
import Registry
import SignIn
import Templates

/// Page of one connection: test results, values to enter at Apple, settings, deletion.
struct AppleConnectionPage: FramedPage {
    static let template = "console/apple/show"
    static let fields = frameFields.with {
        $0.text("name") { $0.name }
        $0.group("appID", CopyView.fields) {
            CopyView(Message("console.apple.appID.label"), $0.connection.appID.rawValue)
        }
        $0.text("appURL") { ConsoleRoutes.appID.link($0.team, $0.connection.appID) }
        $0.group("state", BadgeView.fields) { $0.tests.badge }
        $0.optionalGroup("tested", TimeView.fields) { $0.tests.first.map { TimeView($0.testedAt) } }
        $0.optionalText("testURL") { $0.testURL }
        $0.list("tests", ConnectionVerdict.fields) { page in
            ConnectionVerdict.all(
                of: page.tests, servicesID: page.connection.servicesID, isSimulator: page.simulator != nil)
        }
        $0.optionalWords("unasked") { $0.unasked }
        $0.flag("unused") { !$0.isUsed }
        $0.text("settingsURL") { "\(SettingsRoutes.settings.link($0.team))#sources-heading" }
        $0.group("values", AppleValues.fields) { $0.values }
        $0.group("servicesID", CopyView.fields) {
            CopyView(Message("console.apple.servicesID.label"), $0.connection.servicesID.rawValue)
        }
        $0.group("keyID", CopyView.fields) {
            CopyView(Message("console.apple.keyID.label"), $0.connection.keyID.rawValue)
        }
        $0.text("keyURL") { RegistryRoutes.appleKeys.one.link($0.team, $0.connection.keyID) }
        $0.group("teamID", CopyView.fields) {
            CopyView(Message("console.apple-keys.teamID.label"), $0.connection.appleTeamID.rawValue)
        }
        $0.optionalGroup("simulator", SimulatorView.fields) { $0.simulator }
        $0.optionalGroup("editing", FormView.fields) { $0.editing }
        $0.optionalGroup("danger", DangerView.fields) { $0.danger }
    }

    /// Links to the Apple simulator, if it replaces Apple.
    struct SimulatorView: Sendable {
        let teamID: String
        let pageURL: String
        /// Nil for a member without the right to change connections.
        let registerURL: String?

        static let fields = Fields<SimulatorView> {
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
    let simulator: SimulatorView?
    let editing: FormView?
    let danger: DangerView?
}

/// Page about sign-in with Apple: the team's identity sources, its connections, and unconnected App IDs.
struct AppleConnectionListPage: FramedPage {
    static let template = "console/apple/index"
    static let fields = frameFields.with {
        $0.words("sources") { Team.words.value(SettingsForm($0.team)["identitySources"], of: "identitySources") }
        $0.text("settingsURL") { "\(SettingsRoutes.settings.link($0.team.id))#sources-heading" }
        $0.flag("unused") { !$0.team.settings.identitySources.contains(.apple) && !$0.rows.isEmpty }
        $0.flag("unconnected") { $0.team.settings.identitySources.contains(.apple) && $0.rows.isEmpty }
        $0.rows("connections") { $0.rows }
        $0.rows("others") { $0.others }
        $0.optionalText("newURL") { $0.newURL }
        $0.flag("hasAppIDs") { $0.hasAppIDs }
        $0.optionalGroup("simulator", SimulatorSetup.fields) { $0.simulator }
    }

    let frame: ConsoleFrame
    let team: Team
    let rows: [ListRow]
    /// Primary App IDs that are not connected.
    let others: [ListRow]
    let newURL: String?
    let hasAppIDs: Bool
    /// Instructions for the Apple simulator, if it replaces Apple.
    let simulator: SimulatorSetup?
}

/// Page with the form that connects an App ID to Apple, and the values to enter at Apple.
struct NewAppleConnectionPage: FramedPage {
    static let template = "console/apple/new"
    static let fields = frameFields.with {
        $0.optionalGroup("form", FormView.fields) { $0.connecting }
        $0.text("importURL") { page in
            let address = RegistryRoutes.appleKeys.new.link(page.team)
            return page.appID.isEmpty ? address : "\(address)?app=\(page.appID)"
        }
        $0.group("values", AppleValues.fields) { $0.values }
        $0.optionalGroup("simulator", SimulatorSetup.fields) { $0.simulator }
    }

    let frame: ConsoleFrame
    let team: TeamID
    /// The preselected App ID, or empty.
    let appID: String
    /// The form, which is available once the team has imported an Apple key.
    let connecting: FormView?
    let values: AppleValues
    /// Instructions for the Apple simulator, if it replaces Apple.
    let simulator: SimulatorSetup?
}

extension ConnectionVerdict {
    fileprivate static let fields = Fields<ConnectionVerdict> {
        $0.list("clients", clientFields) { verdict in
            verdict.tests.map { (id: $0.clientID, isServicesID: verdict.isServicesID($0)) }
        }
        $0.group("badge", BadgeView.fields) { $0.outcome.badge }
        $0.words("meaning") { $0.meaning }
        $0.list("advice", Fields<Message> { $0.words("text") { $0 } }) { $0.advice }
    }

    private static let clientFields = Fields<(id: ClientID, isServicesID: Bool)> {
        $0.text("client") { $0.id.rawValue }
        $0.words("kind") {
            $0.isServicesID ? Message("console.apple.servicesID.label") : Message("console.apple.bundle-id")
        }
    }
}

extension AppleConnectionTest.Outcome {
    var badge: BadgeView {
        BadgeView(
            self, in: "console.apple.test", good: [.accepted], warn: [.unexpected, .throttled, .trouble, .unreachable],
            bad: [.refused])
    }
}

extension [AppleConnectionTest] {
    /// State of the connection: the worst outcome, in which a rejection precedes an inconclusive test.
    var badge: BadgeView {
        let outcomes = map(\.outcome)
        let worst = [AppleConnectionTest.Outcome.refused, .unexpected, .trouble, .throttled, .unreachable].first(
            where: outcomes.contains)
        if let worst { return worst.badge }
        return isEmpty
            ? BadgeView(.plain, Message("console.apple.test.none"))
            : BadgeView(.good, Message("console.apple.test.works"))
    }
}

/// Values to enter in Apple's developer portal, so that sign-ins return to this server.
struct AppleValues: Sendable {
    private let domain: String
    private let returnURL: String
    private let notificationURL: String
    private let bundleIDs: [ClientID]

    /// - Parameter bundleIDs: the bundle IDs of the group, each of which is a client of its own at Apple.
    init(of team: TeamID, bundleIDs: [ClientID], _ server: ServerContext) {
        // Apple expects a host name, not a URL.
        domain = server.publicHost
        returnURL = server.returnURL(of: .apple, in: team)
        notificationURL = server.notificationURL(of: .apple, in: team)
        self.bundleIDs = bundleIDs
    }

    static let fields = Fields<AppleValues> {
        $0.group("domain", CopyView.fields) { CopyView(Message("console.apple.domain"), $0.domain) }
        $0.group("returnURL", CopyView.fields) { CopyView(Message("console.apple.return-url"), $0.returnURL) }
        $0.group("notificationURL", CopyView.fields) {
            CopyView(Message("console.apple.notification-url"), $0.notificationURL)
        }
        $0.list("bundleIDs", CopyView.fields) { values in
            values.bundleIDs.map { CopyView(Message("console.apple.bundle-id"), $0.rawValue) }
        }
    }
}
