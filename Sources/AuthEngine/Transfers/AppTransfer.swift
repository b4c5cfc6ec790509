public import Bytes
import Crypto
public import Domain
public import Postgres

/// The id of a transfer.
public typealias TransferID = RandomID<AppTransfer>

/// An App ID on its way from one team to another (Apple, "Transferring your apps and users to another team").
public struct AppTransfer: Sendable {
    /// How long after its acceptance people can be moved (Apple).
    public static let window = Duration.seconds(60 * 86_400)

    /// How far it has come.
    public enum State: String, SQLText, Sendable {
        case offered
        case accepted
        case declined
        case withdrawn
    }

    public let id: TransferID
    public let source: TeamID
    public let target: TeamID
    public let appID: ClientID
    public let registration: TransferredRegistration
    public let state: State
    public let offeredAt: Timestamp
    public let settledAt: Timestamp?

    /// When people can no longer be moved; nil while it is not accepted.
    public var closesAt: Timestamp? {
        state == .accepted ? settledAt.map { $0 + Self.window } : nil
    }
}

/// What goes with an App ID: its own settings and its Service IDs; keys stay behind.
public struct TransferredRegistration: Codable, Sendable {
    /// A Service ID as it was when it was offered.
    public struct Service: Codable, Sendable {
        public let identifier: String
        let description: String
        let domains: [String]
        let returnURLs: [String]
        let issuer: String
        let booleans: String
        let requiresPKCE: Bool
    }

    public let description: String
    let isEnabled: Bool
    let notificationURL: String
    public let services: [Service]
}

/// Why a transfer does not go on.
public enum TransferRefusal: Error, Equatable, Sendable {
    case unknownApp
    /// It is grouped under another, or others under it: Apple wants it ungrouped first.
    case grouped
    case unknownTeam
    case ownTeam
    /// It is offered already, or was accepted within the window.
    case underWay
}
