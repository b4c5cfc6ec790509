public import Core
public import Postgres

/// Reads the state of a team's seal chain, requests verifications and stores their results.
public struct AuditChainStore: Sendable {
    private let database: TeamDatabase

    public init(_ database: TeamDatabase) { self.database = database }

    /// Returns the state of the chain, read by one statement.
    public func find(in team: TeamID) async throws(PostgresFailure) -> AuditChain {
        let rows = try await database.query(
            """
            SELECT COALESCE(c.position, 0), COALESCE(c.code, ''), c.sealed_at, (
                SELECT count(*) FROM (
                    SELECT FROM audit_unsealed u WHERE u.team_id = \(team) LIMIT 1000
                ) AS counted
            ), c.verification_asked_at IS NOT NULL, c.verified_at, c.verified_position,
                COALESCE(c.findings, '[]')::text, t.audit_retention_days
            FROM teams t LEFT JOIN audit_chains c ON c.team_id = t.team_id
            WHERE t.team_id = \(team)
            """, in: team)
        guard var row = rows.first else { throw .unavailable("there is no team \(team)") }
        let head = AuditHead(team: team, position: try row.next(), code: try row.next())
        return AuditChain(
            head: head.position == 0 ? nil : head, sealedAt: try row.next(), waiting: try row.next(),
            isVerificationDue: try row.next(), verifiedAt: try row.next(), verifiedPosition: try row.next(),
            findings: Self.findings(try row.next()), retentionDays: try row.next())
    }

    /// Returns the position of an event's seal and the time of sealing, or nil while the event is not sealed.
    public func seal(of place: AuditEntry.Place, in team: TeamID) async throws(PostgresFailure) -> (
        position: Int, at: Timestamp
    )? {
        let rows = try await database.query(
            """
            SELECT position, sealed_at FROM audit_seals
            WHERE team_id = \(team) AND at = \(place.at) AND event_id = \(place.id)
            """, in: team)
        guard var row = rows.first else { return nil }
        return (try row.next(), try row.next())
    }

    /// Returns the code of the seal at a position, in hexadecimal digits, or nil when there is none.
    public func code(at position: Int, in team: TeamID) async throws(PostgresFailure) -> String? {
        let rows = try await database.query(
            "SELECT code FROM audit_seals WHERE team_id = \(team) AND position = \(position)", in: team)
        guard var row = rows.first else { return nil }
        return Hex.encode(try row.next([UInt8].self))
    }

    /// Requests a verification of the log in the background.
    public func askForVerification(in team: TeamID, by actor: Actor, from origin: Origin) async throws(PostgresFailure)
    {
        let event = AuditEvent("audit_log.verification_asked", by: actor, on: .auditLog(team), from: origin)
        try await database.query(
            """
            WITH asked AS (
                INSERT INTO audit_chains (team_id, verification_asked_at) VALUES (\(team), now())
                ON CONFLICT (team_id) DO UPDATE SET verification_asked_at = now()
            )
            \(event.insertion(in: team))
            """, in: team)
    }

    /// Stores the result of a verification, and records it as an event.
    ///
    /// - Parameter isRoutine: whether nobody asked for it; a log that is whole then gets no event.
    public func note(
        _ report: AuditReport, in team: TeamID, by actor: Actor, from origin: Origin, isRoutine: Bool = false
    ) async throws(PostgresFailure) {
        let position = report.head?.position ?? 0
        let event = AuditEvent(
            "audit_log.verified", by: actor, on: .auditLog(team), from: origin,
            after: ["position": .integer(Int64(position)), "findings": .integer(Int64(report.findings.count))],
            outcome: report.findings.isEmpty ? .succeeded : .refused)
        let findings = String(decoding: JSON.encode(JSONValue.array(report.findings.map(\.json))), as: UTF8.self)
        try await database.query(
            """
            WITH noted AS (
                INSERT INTO audit_chains (team_id, verified_at, verified_position, findings)
                VALUES (\(team), now(), \(position), \(findings)::jsonb)
                ON CONFLICT (team_id) DO UPDATE
                SET verified_at = now(), verified_position = \(position), findings = \(findings)::jsonb,
                    verification_asked_at = CASE WHEN \(isRoutine) THEN audit_chains.verification_asked_at END
            )
            \(event.insertion(in: team, when: isRoutine && report.findings.isEmpty ? "WHERE false" : ""))
            """, in: team)
    }

    private static func findings(_ json: String) -> [AuditFinding] {
        guard let value = try? JSON.decode([JSONValue].self, from: Array(json.utf8)) else { return [] }
        return value.compactMap(AuditFinding.init)
    }
}

extension AuditEvent.Target {
    static func auditLog(_ team: TeamID) -> AuditEvent.Target { AuditEvent.Target("audit_log", team.rawValue) }
}
