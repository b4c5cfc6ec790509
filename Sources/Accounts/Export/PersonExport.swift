import Platform
import Synchronization

/// The data export of a user as a stream of chunks: only one page is in memory.
public final class PersonExport: Sendable {
    private enum Step {
        case head(String)
        /// A list in progress: the number of entries sent, and the last of them.
        case list(PersonExportList, sent: Int, last: PersonExportList.Entry?)
        case end
    }

    private let subject: Subject
    private let team: TeamID
    private let reader: PersonExportStore.Reader
    private let store: PersonExportStore
    private let step: Mutex<Step>

    init(
        of subject: Subject, in team: TeamID, for reader: PersonExportStore.Reader, head: String,
        _ store: PersonExportStore
    ) {
        self.subject = subject
        self.team = team
        self.reader = reader
        self.store = store
        step = Mutex(.head(head))
    }

    /// The next chunk, or nil at the end.
    public func next() async throws -> [UInt8]? {
        switch step.withLock({ $0 }) {
        case .head(let text):
            step.withLock { $0 = .list(.signIns, sent: 0, last: nil) }
            // Without the closing brace, because the lists follow within the same object.
            return Array(text.dropLast(2).utf8) + opening(.signIns)
        case .list(let list, let sent, let last): return try await page(of: list, sent, last)
        case .end: return nil
        }
    }

    private func page(of list: PersonExportList, _ sent: Int, _ last: PersonExportList.Entry?) async throws -> [UInt8] {
        let limit = min(list.pageSize, PersonExportStore.listLimit - sent)
        let entries = try await store.page(of: list, after: last, limit: limit, of: subject, in: team, for: reader)
        var bytes: [UInt8] = []
        for (index, entry) in entries.enumerated() {
            bytes += (sent + index == 0 ? "\n        " : ",\n        ").utf8
            bytes += entry.json.utf8
        }
        let total = sent + entries.count
        if entries.count == limit, total < PersonExportStore.listLimit {
            step.withLock { $0 = .list(list, sent: total, last: entries.last) }
            return bytes
        }
        bytes += "\n    ]".utf8
        switch list {
        case .signIns:
            step.withLock { $0 = .list(.history, sent: 0, last: nil) }
            return bytes + opening(.history)
        case .history:
            step.withLock { $0 = .end }
            return bytes + "\n}\n".utf8
        }
    }

    private func opening(_ list: PersonExportList) -> [UInt8] { Array(",\n    \"\(list.name)\": [".utf8) }
}
