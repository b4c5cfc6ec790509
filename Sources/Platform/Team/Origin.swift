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
}
