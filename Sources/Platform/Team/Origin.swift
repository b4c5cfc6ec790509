import Core

/// Source of an action: IP address, User-Agent, and the request id that is also in the log.
public struct Origin: Sendable {
    /// Octets of a User-Agent field that are kept; browsers send about half as many.
    private static let userAgentLimit = 400

    public let ip: String
    public let userAgent: String
    public let requestID: String

    public init(ip: String, userAgent: String, requestID: String) {
        self.ip = ip
        self.userAgent = userAgent.cut(toOctets: Self.userAgentLimit)
        self.requestID = requestID
    }

    /// Origin of an action that did not arrive over the network.
    public static let local = Origin(ip: "", userAgent: "", requestID: "")

    /// The owner of work in pools that are shared fairly: the team, and of what console accounts cause, all of one team, the
    /// network, so that no member holds up the others.
    public func owner(in team: TeamID) -> String {
        team == .system ? "\(team) \(LimitKey.networkPrefix(of: ip))" : team.rawValue
    }
}
