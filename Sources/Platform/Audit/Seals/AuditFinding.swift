import Core

/// A difference between the log and its seals.
public struct AuditFinding: Hashable, Sendable {
    public enum Kind: String, CaseIterable, Sendable {
        /// The event differs from what was sealed.
        case changed
        /// The event was sealed and is missing.
        case removed
        /// The event has no seal, or was sealed long after its time.
        case inserted
        /// Seals are missing with their events: from one position to another.
        case cut
        /// The signature of the checkpoint is not valid.
        case checkpoint
        /// The key ring has no master key with the id in a seal.
        case key
        /// A name or address differs from what the newest event about the person was sealed with.
        case personChanged = "person-changed"
        /// The name and address of a person who is still there are missing.
        case personMissing = "person-missing"
    }

    public let kind: Kind
    /// The event, where it is known.
    public let place: AuditEntry.Place?
    /// Positions of a cut, position of a checkpoint, id of a key, or kind and `sub` of a person.
    public let detail: String

    init(_ kind: Kind, _ place: AuditEntry.Place? = nil, detail: String = "") {
        self.kind = kind
        self.place = place
        self.detail = detail
    }

    /// Reads the output of `json`; nil for anything else.
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

/// Result of a verification: the range it covered and its findings.
public struct AuditReport: Sendable {
    /// The head of the chain when the verification began; nil for a team without sealed events.
    public let head: AuditHead?
    /// The position after which it began, when older events were deleted.
    public let checkpoint: Int?
    /// At most 100, oldest first.
    public let findings: [AuditFinding]
    /// Whether there were more findings.
    public let isTruncated: Bool
}
