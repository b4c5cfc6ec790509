public import Core
public import OAuth
public import Platform
import SignIn
import Templates

/// Apple simulator that replaces Apple, and registers a team's values as Apple's developer portal does.
public struct AppleSimulator: Sendable {
    /// Registers an App ID group with its return URL and notification URL; returns the simulator's validation errors.
    public typealias Registering =
        @Sendable (AppleRegistration, _ returnURL: String, _ notificationURL: String) async throws -> FieldErrors

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
struct SimulatorSetup: Sendable {
    /// Command that generates a key; any P-256 key works, because the console registers it at the simulator.
    private static let command =
        "openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out AuthKey_MYTRIAL001.p8"

    let teamID: AppleTeamID

    /// Nil if no simulator replaces Apple.
    init?(_ simulator: AppleSimulator?) {
        guard let simulator else { return nil }
        teamID = simulator.teamID
    }

    static let fields = Fields<SimulatorSetup> {
        $0.text("teamID") { $0.teamID.rawValue }
        $0.group("command", CopyView.fields) { _ in CopyView(Message("console.apple.simulator.command"), command) }
    }
}
