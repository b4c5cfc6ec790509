public import AuthEngine
public import Domain
public import Registry

/// A stand-in in Apple's place, where a team's values can be registered as in Apple's developer portal.
public struct AppleStandIn: Sendable {
    /// Registers a group of apps with where its sign-ins and notices go; gives what the stand-in would not take.
    public typealias Registering =
        @Sendable (
            AppleRegistration, _ returnURL: String, _ notificationURL: String
        ) async throws -> [Problem]

    /// The team at Apple that everything is registered under there.
    public let teamID: AppleTeamID
    /// Where its people, faults and notices are.
    public let pageURL: String
    public let register: Registering

    public init(teamID: AppleTeamID, pageURL: String, register: @escaping Registering) {
        self.teamID = teamID
        self.pageURL = pageURL
        self.register = register
    }
}
