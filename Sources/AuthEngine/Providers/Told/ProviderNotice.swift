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

    /// The events of each person in the order in which they came, and the people in one order, whatever the notice's:
    /// two notices that name the same people lock them in it.
    var eventsByPerson: [Event] {
        events.sorted { one, other in
            let (first, second) = (one.identifier?.rawValue ?? "", other.identifier?.rawValue ?? "")
            return first.utf8.lexicographicallyPrecedes(second.utf8)
        }
    }

    public init(id: String, group: ClientID, events: [Event]) {
        self.id = id
        self.group = group
        self.events = events
    }
}
