public import Bytes
public import Domain

/// What a provider tells of its people, once it is proved that it does.
public struct ProviderNotice: Sendable {
    /// One thing that happened.
    public struct Event: Sendable {
        /// Nil for something that is not known here.
        public let type: NoticeType?
        /// How the provider spells it.
        public let name: String
        /// The provider's name for the person.
        public let identifier: Subject?
        public let at: Timestamp

        /// - Parameter name: Apple knows two spellings of a deleted account.
        public init(_ name: String, of identifier: Subject?, at moment: Timestamp) {
            self.name = name
            self.identifier = identifier
            at = moment
            type = name == "account-deleted" ? .accountDelete : NoticeType(rawValue: name)
        }
    }

    /// `jti`, or what else is the same however often it comes.
    public let id: String
    /// The primary App ID of the group it is for.
    public let group: ClientID
    public let events: [Event]

    public init(id: String, group: ClientID, events: [Event]) {
        self.id = id
        self.group = group
        self.events = events
    }
}
