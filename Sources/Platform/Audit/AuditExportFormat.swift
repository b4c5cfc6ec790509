public import Core
public import Postgres
import Synchronization

/// File formats of exported events.
public enum AuditExportFormat: String, CaseIterable, Sendable {
    /// Comma-separated values (RFC 4180), with a header line.
    case csv
    /// One JSON object per line.
    case ndjson

    /// Value of the Content-Type field.
    public var mediaType: String {
        switch self {
        case .csv: "text/csv; charset=utf-8"
        case .ndjson: "application/x-ndjson"
        }
    }

    /// The octets before the first event: without a byte order mark Excel reads a CSV file as Windows-1252, and JSON must
    /// have none (RFC 8259 section 8.1).
    var head: [UInt8] {
        switch self {
        case .csv: ByteOrderMark.octets + Array((AuditCSV.columns.joined(separator: ",") + "\r\n").utf8)
        case .ndjson: []
        }
    }

    func append(_ entry: AuditEntry, to bytes: inout [UInt8]) {
        switch self {
        case .csv: AuditCSV.append(entry, to: &bytes)
        case .ndjson: bytes += AuditNDJSON.line(entry)
        }
    }
}

/// Writes events as comma-separated values.
enum AuditCSV {
    static let columns = [
        "at", "event_id", "actor_kind", "actor", "actor_name", "actor_email", "action", "target_kind", "target",
        "target_name", "target_email", "outcome", "ip", "user_agent", "request_id", "before", "after",
    ]

    static func append(_ entry: AuditEntry, to bytes: inout [UInt8]) {
        let fields: [String?] = [
            entry.at.precise, entry.id, entry.actorKind, entry.actor, entry.actorPerson?.name, entry.actorPerson?.email,
            entry.action, entry.targetKind, entry.target, entry.targetPerson?.name, entry.targetPerson?.email,
            entry.outcome.rawValue, entry.ip, entry.userAgent, entry.requestID, entry.before, entry.after,
        ]
        for (index, field) in fields.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            append(field ?? "", to: &bytes)
        }
        bytes += [UInt8(ascii: "\r"), UInt8(ascii: "\n")]
    }

    /// Appends a field in quotes; one that a spreadsheet may read as a formula gets an apostrophe in front, as OWASP's
    /// page on CSV injection advises.
    static func append(_ field: String, to bytes: inout [UInt8]) {
        let quote = UInt8(ascii: "\"")
        bytes.append(quote)
        if isDangerous(field) { bytes.append(UInt8(ascii: "'")) }
        for byte in field.utf8 {
            if byte == quote { bytes.append(quote) }
            bytes.append(byte)
        }
        bytes.append(quote)
    }

    /// Whether a spreadsheet may read the text as a formula.
    ///
    /// Skips what spreadsheets skip at the beginning: white space, controls and invisible marks. The formula signs also
    /// exist in full width (U+FF0B and so on), which some programs treat alike. A leading tab or line break is
    /// dangerous by itself, because it may begin a new cell.
    private static func isDangerous(_ field: String) -> Bool {
        for scalar in field.unicodeScalars {
            switch scalar {
            case "\t", "\r", "\n", "=", "+", "-", "@", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}", "\u{2212}":
                return true
            case _ where isPassedOver(scalar): continue
            default: return false
            }
        }
        return false
    }

    private static func isPassedOver(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .nonspacingMark, .enclosingMark:
            true
        // A reader may strip quotes and apostrophes.
        default: scalar.properties.isWhitespace || scalar == "\"" || scalar == "'"
        }
    }
}

/// Writes events as JSON objects.
enum AuditNDJSON {
    static func line(_ entry: AuditEntry) -> [UInt8] {
        var json = JSONWriter()
        json.member("at", entry.at.precise)
        json.member("id", entry.id)
        json.member("actor", raw: thing(entry.actorKind, entry.actor, entry.actorPerson))
        json.member("action", entry.action)
        json.member("target", raw: thing(entry.targetKind, entry.target, entry.targetPerson))
        json.member("outcome", entry.outcome.rawValue)
        if let ip = entry.ip { json.member("ip", ip) }
        if let agent = entry.userAgent { json.member("userAgent", agent) }
        if let id = entry.requestID { json.member("requestID", id) }
        if let before = entry.before { json.member("before", raw: Array(before.utf8)) }
        if let after = entry.after { json.member("after", raw: Array(after.utf8)) }
        return json.finish() + [UInt8(ascii: "\n")]
    }

    private static func thing(_ kind: String, _ id: String, _ person: AuditEntry.Person?) -> [UInt8] {
        var json = JSONWriter()
        json.member("kind", kind)
        json.member("id", id)
        if let person {
            json.member("name", person.name)
            if let email = person.email { json.member("email", email) }
        }
        return json.finish()
    }
}

/// Starts exports of the audit log.
public struct AuditExportStore: Sendable {
    private let database: TeamDatabase
    private let chains: AuditChainStore
    private let events: AuditStore

    public init(_ database: TeamDatabase) {
        self.database = database
        chains = AuditChainStore(database)
        events = AuditStore(database)
    }

    /// Records the export as an event, with the head of the seal chain, and returns it for reading.
    ///
    /// - Parameter asked: the filter as requested, by parameter name.
    public func begin(
        _ filter: AuditFilter, asked: [String: JSONValue], as format: AuditExportFormat, in team: TeamID,
        by actor: Actor, from origin: Origin
    ) async throws(PostgresFailure) -> AuditExport {
        let head = try await chains.find(in: team).head
        var after: [String: JSONValue] = ["format": .string(format.rawValue)]
        if !asked.isEmpty { after["filter"] = .object(asked) }
        if let head {
            after["sealedPosition"] = .integer(Int64(head.position))
            after["sealedCode"] = .string(head.codeText)
        }
        let event = AuditEvent(
            "audit_log.exported", by: actor, on: .auditLog(team), from: origin, after: .object(after))
        let rows = try await database.query("\(event.insertion(in: team)) RETURNING at, event_id", in: team)
        guard var row = rows.first else { throw .unavailable("the export was not recorded") }
        let place = AuditEntry.Place(at: try row.next(), id: try row.next())
        guard let record = try await events.find(place, in: team) else {
            throw .unavailable("the export was not recorded")
        }
        return AuditExport(record, filter, as: format, in: team, AuditSearchStore(database))
    }
}

/// An export of the audit log, read in chunks.
///
/// The first event is the export itself, with the filter and the head of the seal chain; the events before it follow,
/// newest first, so that events recorded meanwhile do not shift them.
public final class AuditExport: Sendable {
    private enum Step {
        case head(AuditEntry)
        case events(before: AuditEntry.Place)
        case end
    }

    private let filter: AuditFilter
    private let format: AuditExportFormat
    private let team: TeamID
    private let search: AuditSearchStore
    private let step: Mutex<Step>

    init(
        _ record: AuditEntry, _ filter: AuditFilter, as format: AuditExportFormat, in team: TeamID,
        _ search: AuditSearchStore
    ) {
        self.filter = filter
        self.format = format
        self.team = team
        self.search = search
        step = Mutex(.head(record))
    }

    /// Returns the next chunk, for which five hundred events are read, or nil at the end.
    public func next() async throws(PostgresFailure) -> [UInt8]? {
        switch step.withLock({ $0 }) {
        case .head(let record):
            var bytes = format.head
            format.append(record, to: &bytes)
            step.withLock { $0 = .events(before: record.place) }
            return bytes
        case .events(let place):
            let page = try await search.batch(matching: filter, in: team, before: place)
            step.withLock { $0 = page.next.map { .events(before: $0) } ?? .end }
            var bytes: [UInt8] = []
            for entry in page.entries { format.append(entry, to: &bytes) }
            return bytes
        case .end: return nil
        }
    }
}
