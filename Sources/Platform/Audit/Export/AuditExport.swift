public import Postgres
import Synchronization

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
