public import Core
public import Postgres

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
