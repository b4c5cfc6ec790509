import Core
public import Postgres

/// The party that performs an action.
public enum Actor: Hashable, Sendable {
    /// A user of the team, on its hosted pages.
    case person(Subject)
    /// A console account: a user of the system team.
    case member(Subject)
    /// An app that authenticated with its client secret.
    case client(ClientID)
    /// The command line, with the name of the command.
    case command(String)
    /// Pippin itself, with the name of the part, such as a job.
    case system(String)

    /// The console account, if the actor is one; otherwise nil.
    public var account: Subject? { if case .member(let subject) = self { subject } else { nil } }

    public var kind: String {
        switch self {
        case .person: "person"
        case .member: "member"
        case .client: "client"
        case .command: "command"
        case .system: "system"
        }
    }

    public var name: String {
        switch self {
        case .person(let subject), .member(let subject): subject.rawValue
        case .client(let client): client.rawValue
        case .command(let name), .system(let name): name
        }
    }
}

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

/// A team's policy for a second factor after a password; Apple asks for two factors itself.
public enum SecondFactor: String, SQLText, CaseIterable, Sendable {
    /// Neither required nor offered.
    case off
    /// Required from users who have set one up.
    case optional
    /// Required from every user; a user without one sets it up before the sign-in continues.
    case required
}
