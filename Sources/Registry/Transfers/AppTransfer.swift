public import Core
import Crypto
public import Platform
public import Postgres

/// The id of a transfer.
public typealias TransferID = RandomID<AppTransfer>

/// The transfer of an App ID from one team to another (Apple, "Transferring your apps and users to another team").
public struct AppTransfer: Sendable {
    /// Time after the acceptance during which users can be migrated (Apple).
    public static let window = Duration.seconds(60 * 86_400)

    /// Time during which an offer can be accepted.
    public static let lifetime = Duration.seconds(14 * 86_400)

    /// State of a transfer: offered, accepted, declined, withdrawn, expired.
    public enum State: String, SQLText, Sendable {
        case offered
        case accepted
        case declined
        case withdrawn
        /// The offer's lifetime passed without an answer.
        case expired
    }

    public let id: TransferID
    public let source: TeamID
    public let target: TeamID
    public let appID: ClientID
    public let registration: TransferredRegistration
    public let state: State
    public let offeredAt: Timestamp
    public let settledAt: Timestamp?

    /// Time after which users can no longer be migrated; nil unless the transfer is accepted.
    public var closesAt: Timestamp? { state == .accepted ? settledAt.map { $0 + Self.window } : nil }
}

/// The transferred registration: the App ID's settings and its Service IDs; keys are not transferred.
public struct TransferredRegistration: Codable, Sendable {
    /// A Service ID as of the time of the offer.
    public struct Service: Codable, Sendable {
        public let identifier: String
        public let description: String
        public let domains: [String]
        public let returnURLs: [String]
        let issuer: String
        let booleans: String
        let requiresPKCE: Bool
    }

    public let description: String
    let isEnabled: Bool
    /// Empty when there is none.
    public let notificationURL: String
    /// Nil in offers of older versions.
    let issuer: String?
    public let services: [Service]
    /// Number of the app's users at the time of the offer; nil in offers of older versions.
    public let people: Int?
}

/// The reason why a transfer is rejected.
public enum TransferRefusal: Error, Equatable, Sendable {
    case unknownApp
    /// The App ID is grouped with others; Apple requires an ungrouped one.
    case grouped
    /// The Team ID is malformed; whether a well-formed one exists is not disclosed.
    case unknownTeam
    case ownTeam
    /// The member is no longer an owner of the team.
    case notAllowed
    /// The team has the most open offers allowed.
    case tooMany
    /// The most offers allowed were made, or accepted by others, within 24 hours.
    case tooManyToday
    /// The team has accepted the most App IDs allowed within 24 hours.
    case tooManyTaken
    /// The App ID is offered already, or was transferred within the window.
    case underWay
}
