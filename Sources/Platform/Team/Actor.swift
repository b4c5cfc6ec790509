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
