import Core
import Directory
import Federation
public import OAuth
public import Platform
public import Registry
import SignIn
import Templates

/// Apple simulator that replaces Apple, and registers a team's values as Apple's developer portal does.
public struct AppleStandIn: Sendable {
    /// Registers an App ID group with its return URL and notification URL; returns the simulator's validation errors.
    public typealias Registering =
        @Sendable (AppleRegistration, _ returnURL: String, _ notificationURL: String) async throws -> [FieldError]

    /// Apple team ID under which the simulator registers all values.
    public let teamID: AppleTeamID
    /// URL of the simulator's page with its users, faults and notifications.
    public let pageURL: String
    public let register: Registering

    public init(teamID: AppleTeamID, pageURL: String, register: @escaping Registering) {
        self.teamID = teamID
        self.pageURL = pageURL
        self.register = register
    }
}

/// Instructions to connect a team's app to the Apple simulator.
struct StandInSetup: Sendable {
    /// Command that generates a key; any P-256 key works, because the console registers it at the simulator.
    private static let command =
        "openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out AuthKey_MYTRIAL001.p8"

    let teamID: AppleTeamID

    /// Nil if no simulator replaces Apple.
    init?(_ standIn: AppleStandIn?) {
        guard let standIn else { return nil }
        teamID = standIn.teamID
    }

    static let fields = Fields<StandInSetup> {
        $0.text("teamID") { $0.teamID.rawValue }
        $0.group("command", CopyView.fields) { _ in CopyView(Message("console.apple.stand-in.command"), command) }
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
