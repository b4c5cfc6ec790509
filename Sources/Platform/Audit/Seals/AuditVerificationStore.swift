import Core
import Crypto
import HTTP
public import Postgres

/// Verifies a team's log against its seals.
public struct AuditVerificationStore: Sendable {
    private let database: TeamDatabase
    private let keys: SealKeys

    public init(_ database: TeamDatabase, keys: SealKeys) {
        self.database = database
        self.keys = keys
    }

    /// Reads the log from the checkpoint to its head, a batch at a time, and returns the findings.
    public func verify(in team: TeamID) async throws(PostgresFailure) -> AuditReport {
        let rows = try await database.query(
            """
            SELECT c.position, c.code, p.position, p.code, p.latest_at, p.made_at, p.key_id, p.signature
            FROM audit_chains c LEFT JOIN audit_checkpoints p ON p.team_id = c.team_id
            WHERE c.team_id = \(team)
            """, in: team)
        guard var row = rows.first else {
            var check = ChainCheck(team, keys, after: nil)
            try await findUnsealed(&check, in: team)
            for kind in ["person", "member"] { try await judgePeople(kind, &check, in: team) }
            return AuditReport(head: nil, checkpoint: nil, findings: check.findings, isTruncated: check.isTruncated)
        }
        let head = AuditHead(team: team, position: try row.next(), code: try row.next())
        var (check, checkpoint) = try begin(&row, team)
        try await follow(&check, to: head)
        try await findUnsealed(&check, in: team)
        for kind in ["person", "member"] { try await judgePeople(kind, &check, in: team) }
        return AuditReport(
            head: head, checkpoint: checkpoint?.position, findings: check.findings, isTruncated: check.isTruncated)
    }

    private func begin(_ row: inout Row, _ team: TeamID) throws(PostgresFailure) -> (ChainCheck, Checkpoint?) {
        guard let position: Int = try row.next() else { return (ChainCheck(team, keys, after: nil), nil) }
        let checkpoint = Checkpoint(
            position: position, code: try row.next(), latestAt: try row.next(), madeAt: try row.next())
        let (keyID, signature): (String, [UInt8]) = (try row.next(), try row.next())
        var check = ChainCheck(team, keys, after: checkpoint)
        check.judge(checkpoint, signature: signature, keyID: keyID)
        return (check, checkpoint)
    }

    private func follow(_ check: inout ChainCheck, to head: AuditHead) async throws(PostgresFailure) {
        while check.position < head.position {
            let rows = try await database.query(
                """
                SELECT s.position, s.at, s.event_id, s.sealed_at, s.key_id, s.code,
                    e.event_id IS NOT NULL, \(AuditEntry.bareColumns), e.ip_key
                FROM (
                    SELECT * FROM audit_seals
                    WHERE team_id = \(head.team) AND position > \(check.position) AND position <= \(head.position)
                    ORDER BY position
                    LIMIT \(AuditSealStore.batch)
                ) AS s
                \(AuditEntry.event(at: "s", in: head.team))
                ORDER BY s.position
                """, in: head.team)
            guard !rows.isEmpty else { break }
            for var row in rows {
                let seal = try Seal(&row)
                let entry = try row.next(Bool.self) ? try AuditEntry(&row) : nil
                let key: [UInt8]? = entry == nil ? nil : try row.next()
                check.take(seal, entry, isFound: key == entry?.ip.flatMap { IPAddress($0)?.bytes })
            }
        }
        check.finish(at: head)
    }

    /// Finds events that neither have a seal nor wait for one, because they were inserted without Pippin.
    ///
    /// Each lookup has a LIMIT, because PostgreSQL plans EXISTS as a question about all seals and reads every one.
    private func findUnsealed(_ check: inout ChainCheck, in team: TeamID) async throws(PostgresFailure) {
        var cursor = AuditEntry.Place(at: Timestamp(microseconds: 0), id: "")
        while true {
            let rows = try await database.query(
                """
                SELECT e.at, e.event_id, (
                    SELECT true FROM audit_seals s
                    WHERE s.team_id = \(team) AND s.at = e.at AND s.event_id = e.event_id LIMIT 1
                ) IS NULL AND (
                    SELECT true FROM audit_unsealed u
                    WHERE u.team_id = \(team) AND u.at = e.at AND u.event_id = e.event_id LIMIT 1
                ) IS NULL
                FROM audit_events e
                WHERE e.team_id = \(team) AND e.at >= \(cursor.at) AND (e.at, e.event_id) > (\(cursor.at), \(cursor.id))
                ORDER BY e.at, e.event_id
                LIMIT 1000
                """, in: team)
            guard !rows.isEmpty else { return }
            for var row in rows {
                cursor = AuditEntry.Place(at: try row.next(), id: try row.next())
                if try row.next(Bool.self) { check.note(AuditFinding(.inserted, cursor)) }
            }
        }
    }
}

// Names and addresses, which lie beside the log.
extension AuditVerificationStore {
    /// Holds the name and address of each person against the newest event that names them, whose id has their digest.
    ///
    /// Of users and members a row is expected; others may have been erased.
    private func judgePeople(_ kind: String, _ check: inout ChainCheck, in team: TeamID) async throws(PostgresFailure) {
        var last = ""
        while true {
            let rows = try await database.query(
                """
                SELECT named.sub, p.name, p.email, p.salt, recent.ids
                FROM (
                    (SELECT sub FROM audit_people
                    WHERE team_id = \(team) AND kind = \(kind) AND sub > \(last) ORDER BY sub LIMIT 500)
                    UNION (SELECT sub FROM users
                    WHERE team_id = \(team) AND \(kind) = 'person' AND sub > \(last) ORDER BY sub LIMIT 500)
                    UNION (SELECT sub FROM memberships
                    WHERE team_id = \(team) AND \(kind) = 'member' AND sub > \(last) ORDER BY sub LIMIT 500)
                    ORDER BY sub LIMIT 500
                ) AS named
                LEFT JOIN audit_people p ON p.team_id = \(team) AND p.kind = \(kind) AND p.sub = named.sub
                CROSS JOIN LATERAL (\(Self.recentIDs(kind, team))) AS recent
                ORDER BY named.sub
                """, in: team)
            guard !rows.isEmpty else { return }
            for var row in rows {
                last = try row.next()
                let (name, email): (String?, String?) = (try row.next(), try row.next())
                let (salt, ids): ([UInt8]?, String?) = (try row.next(), try row.next())
                guard let ids else { continue }
                let text = (salt ?? []) + Array((name ?? "").utf8) + [0] + Array((email ?? "").utf8)
                let digest = Base64URL.encode(SHA256.hash(text)).prefix(12)
                guard name == nil || !ids.split(separator: ".").contains(digest) else { continue }
                check.note(AuditFinding(name == nil ? .personMissing : .personChanged, detail: "\(kind) \(last)"))
            }
        }
    }

    /// The ids of the newest events that name a person; null if none of them has the digests of all whom it names, as those of an
    /// older server.
    ///
    /// Those of the last hour before the newest, because of transactions at the same time the one that began first may have
    /// read an earlier name.
    private static func recentIDs(_ kind: String, _ team: TeamID) -> SQL {
        let conditions: [SQL] = [
            "team_id = \(team) AND actor = named.sub AND actor_kind = \(kind)",
            "team_id = \(team) AND target = named.sub AND target_kind = \(kind == "person" ? "user" : kind)",
        ]
        func recent(_ condition: SQL) -> SQL {
            """
            (SELECT event_id, length(event_id) - length(replace(event_id, '.', '')) = CASE
                    WHEN actor_kind IN ('person', 'member') AND target_kind IN ('user', 'member')
                        AND (actor <> target OR (actor_kind = 'member') <> (target_kind = 'member'))
                    THEN 2 ELSE 1 END AS is_complete
            FROM audit_events WHERE \(condition) AND at > newest.at - interval '1 hour'
            ORDER BY at DESC LIMIT 1000)
            """
        }
        return """
            SELECT CASE WHEN bool_or(is_complete) THEN string_agg(event_id, '.') END AS ids
            FROM (
                SELECT greatest(
                    (SELECT max(at) FROM audit_events WHERE \(conditions[0])),
                    (SELECT max(at) FROM audit_events WHERE \(conditions[1]))
                ) AS at
            ) AS newest CROSS JOIN LATERAL (\(recent(conditions[0])) UNION ALL \(recent(conditions[1]))) AS events
            """
    }
}
