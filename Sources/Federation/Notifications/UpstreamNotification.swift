public import Core
public import OAuth
public import Platform

/// Verified notification of a provider about its users.
public struct UpstreamNotification: Sendable {
    /// One event of a notification.
    public struct Event: Sendable {
        /// Nil for an unknown type.
        public let type: NotificationType?
        /// The provider's spelling of the type.
        public let name: String
        /// The provider's identifier of the user.
        public let identifier: Subject?
        public let at: Timestamp

        /// - Parameter name: the provider's spelling of the type; Apple has two for a deleted account.
        public init(_ name: String, of identifier: Subject?, at moment: Timestamp) {
            self.name = name
            self.identifier = identifier
            at = moment
            type = name == "account-deleted" ? .accountDelete : NotificationType(rawValue: name)
        }
    }

    /// `jti`, or another value that is equal whenever the notification is repeated.
    public let id: String
    /// The primary App ID of the group it is for.
    public let primaryAppID: ClientID
    public let events: [Event]

    /// Events sorted by user, those of each user in their original order.
    ///
    /// The order of users is the same in all notifications, so that concurrent ones lock shared users in that order.
    var eventsByPerson: [Event] {
        events.sorted { one, other in
            let (first, second) = (one.identifier?.rawValue ?? "", other.identifier?.rawValue ?? "")
            return first.utf8.lexicographicallyPrecedes(second.utf8)
        }
    }

    public init(id: String, primaryAppID: ClientID, events: [Event]) {
        self.id = id
        self.primaryAppID = primaryAppID
        self.events = events
    }
}
