import Audit
import Bytes
import HTTP

/// Time (in microseconds) and id of an event as a path segment: `1763650000000000-<id>`.
struct AuditReference: PathValue {
    let place: AuditEntry.Place

    init(_ place: AuditEntry.Place) { self.place = place }

    static func parse(pathSegment: Span<UInt8>) -> AuditReference? {
        guard let text = String.parse(pathSegment: pathSegment), text.utf8.count <= 64,
            let dash = text.firstIndex(of: "-"), let moment = Int64(text[..<dash]),
            (0...253_402_300_799_999_999).contains(moment), text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { return nil }
        let id = String(text[text.index(after: dash)...])
        return AuditReference(AuditEntry.Place(at: Timestamp(microseconds: moment), id: id))
    }

    var pathSegment: String { "\(place.at.microseconds)-\(place.id)" }
}
