public import Bytes
public import Domain

/// Whose tokens end at a moment, all at once.
public enum TokenCutoff: Hashable, Sendable {
    /// Every client of the team.
    case team
    /// One Service ID or App ID.
    case client(ClientID)

    /// Stands for the team where a client's identifier would stand; no identifier has an asterisk.
    static let everyClient = "*"

    var scope: String {
        switch self {
        case .team: Self.everyClient
        case .client(let id): id.rawValue
        }
    }

    init?(scope: String) {
        if scope == Self.everyClient {
            self = .team
        } else if let client = ClientID(rawValue: scope) {
            self = .client(client)
        } else {
            return nil
        }
    }
}

/// A cut-off that was set.
public struct TokenCutoffRecord: Sendable {
    public let cutoff: TokenCutoff
    /// What was issued before is dead.
    public let notBefore: Timestamp
}
