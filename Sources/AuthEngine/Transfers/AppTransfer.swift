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

    /// How long an offer stands.
    public static let lifetime = Duration.seconds(14 * 86_400)
    /// Offers of one team that may stand at once.
    public static let mostOffers = 20
    /// Offers to one other team that may be made within 24 hours, but for those it accepted: they are rows of its own lists.
    public static let mostOffersADay = 20
    /// The same to all other teams together.
    public static let mostOffersOfTeam = 100
    /// App IDs that one team may take within 24 hours, and after how many that others took it may offer no more: what
    /// was accepted is kept for long.
    public static let mostAcceptedADay = 100

    /// How far it has come.
    public enum State: String, SQLText, Sendable {
        case offered
        case accepted
        case declined
        case withdrawn
        /// Nobody answered in its time.
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
        public let description: String
        public let domains: [String]
        public let returnURLs: [String]
        let issuer: String
        let booleans: String
        let requiresPKCE: Bool
    }

    public let description: String
    let isEnabled: Bool
    /// Empty where it has none.
    public let notificationURL: String
    public let services: [Service]
    /// How many used the app when it was offered; nil in offers of older versions.
    public let people: Int?
}

/// Why a transfer does not go on.
public enum TransferRefusal: Error, Equatable, Sendable {
    case unknownApp
    /// It is grouped under another, or others under it: Apple wants it ungrouped first.
    case grouped
    /// No team can have that id. Whether one has it is not told.
    case unknownTeam
    case ownTeam
    /// The member is an owner of the team no longer.
    case notAllowed
    /// As many offers as a team may make stand already.
    case tooMany
    /// As many offers as a team may make were made, or accepted by others, within 24 hours.
    case tooManyToday
    /// As many App IDs as a team may take were taken within 24 hours.
    case tooManyTaken
    /// It is offered already, or was accepted within the window.
    case underWay
}
