public import Domain
public import OAuth
public import Registry

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
