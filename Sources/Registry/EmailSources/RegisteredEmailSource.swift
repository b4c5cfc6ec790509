public import Core
import Postgres

/// An e-mail source as stored.
public struct RegisteredEmailSource: Hashable, Sendable {
    public let source: EmailSource
    public let selectors: [DKIMSelector]
    /// Its records as of the last check; records that were never looked up are pending.
    public let records: [MailRecord]
    public let checkedAt: Timestamp?
    /// Incremented with every change; a form carries the version it was filled from.
    public let version: Int
    public let createdAt: Timestamp

    /// Its editable values.
    public var draft: EmailSource.Draft { EmailSource.Draft(source: source, selectors: selectors) }

    /// The worst state of all records; pending only when none is wrong or missing.
    public var state: MailRecord.State {
        let states = records.map(\.state)
        return [MailRecord.State.wrong, .missing, .pending].first(where: states.contains) ?? .ok
    }

    /// The required records, in the state before the first check.
    var wantedRecords: [MailRecord] { Self.wanted(source, selectors) }

    /// Reads `EmailSourceStore.columns` or `EmailSourceStore.listed`.
    init(_ row: inout Row) throws(PostgresFailure) {
        let kind: EmailSource.Kind = try row.next()
        source = EmailSource(kind: kind, stored: try row.next())
        selectors = try row.next([String].self).map(DKIMSelector.init(stored:))
        version = try row.next()
        createdAt = try row.next()
        checkedAt = try row.next()
        let json: String = try row.next()
        let found = (try? JSON.decode([MailRecord].self, from: Array(json.utf8))) ?? []
        records = Self.wanted(source, selectors).map { wanted in
            found.first { $0.name == wanted.name && $0.kind == wanted.kind } ?? wanted
        }
    }

    private static func wanted(_ source: EmailSource, _ selectors: [DKIMSelector]) -> [MailRecord] {
        [.pending(.spf, source.domain)] + selectors.map { .pending(.dkim, "\($0.text)._domainkey.\(source.domain)") }
    }
}
