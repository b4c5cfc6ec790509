public import Core
public import Platform

/// The clients whose tokens a not-before applies to.
public enum NotBeforeScope: Hashable, Sendable {
    /// Every client of the team.
    case team
    /// One Service ID or App ID.
    case client(ClientID)

    /// The value that stands for all clients of a team; no client identifier contains an asterisk.
    static let everyClient = "*"

    /// The value of `client_id` in the table.
    var column: String {
        switch self {
        case .team: Self.everyClient
        case .client(let id): id.rawValue
        }
    }

    init?(column: String) {
        if column == Self.everyClient {
            self = .team
        } else if let client = ClientID(rawValue: column) {
            self = .client(client)
        } else {
            return nil
        }
    }
}

/// A time before which issued tokens are not valid, like the `nbf` policies of other servers.
public struct NotBefore: Sendable {
    public let scope: NotBeforeScope
    /// Tokens issued earlier are rejected.
    public let moment: Timestamp
}
