import Bytes

/// Who does something.
public enum Actor: Hashable, Sendable {
    /// A person of the team, at its hosted pages.
    case person(Subject)
    /// A console account: a user of the system team.
    case member(Subject)
    /// An app that authenticated itself with its client secret.
    case client(ClientID)
    /// The command line.
    case command(String)
    /// Pippin itself, such as a job.
    case system(String)

    /// The console account, where it is one that acts.
    public var account: Subject? {
        if case .member(let subject) = self { subject } else { nil }
    }

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

/// From where something is done, and under which request id the log knows it.
public struct Origin: Sendable {
    /// Octets of a User-Agent field that are kept: browsers send half as many.
    private static let userAgentLimit = 400

    public let ip: String
    public let userAgent: String
    public let requestID: String

    public init(ip: String, userAgent: String, requestID: String) {
        self.ip = ip
        self.userAgent = userAgent.cut(toOctets: Self.userAgentLimit)
        self.requestID = requestID
    }

    /// What is not done over the network.
    public static let local = Origin(ip: "", userAgent: "", requestID: "")
}
