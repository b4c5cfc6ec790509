import Bytes

/// One thing that is not as it was sealed.
public struct AuditFinding: Hashable, Sendable {
    public enum Kind: String, Sendable {
        /// The event differs from what was sealed.
        case changed
        /// The event was sealed and is gone.
        case removed
        /// The event has no seal, or one that it got long after its time.
        case inserted
        /// Seals are missing, with their events: from one position to another.
        case cut
        /// The checkpoint is not one of ours.
        case checkpoint
        /// A master key is not in the ring.
        case key
    }

    public let kind: Kind
    /// The event, where one is known.
    public let place: AuditEntry.Place?
    /// Positions of a cut, the id of a key.
    public let detail: String

    init(_ kind: Kind, _ place: AuditEntry.Place? = nil, detail: String = "") {
        self.kind = kind
        self.place = place
        self.detail = detail
    }

    /// Reads what `json` wrote; nil for anything else.
    init?(_ json: JSONValue) {
        guard let kind = json["kind"]?.string.flatMap(Kind.init(rawValue:)) else { return nil }
        var place: AuditEntry.Place?
        if let id = json["event"]?.string, let at = json["at"]?.integer {
            place = AuditEntry.Place(at: Timestamp(microseconds: at), id: id)
        }
        self.init(kind, place, detail: json["detail"]?.string ?? "")
    }

    var json: JSONValue {
        var members: [String: JSONValue] = ["kind": .string(kind.rawValue), "detail": .string(detail)]
        if let place {
            members["event"] = .string(place.id)
            members["at"] = .integer(place.at.microseconds)
        }
        return .object(members)
    }
}

/// What a verification looked at and found.
public struct AuditReport: Sendable {
    /// The head of the chain when it began; nil for a team of which nothing was sealed yet.
    public let head: AuditHead?
    /// Where it began, when older events were deleted.
    public let checkpoint: Int?
    /// At most a hundred, the oldest first.
    public let findings: [AuditFinding]
    /// Whether there were more.
    public let isTruncated: Bool
}
