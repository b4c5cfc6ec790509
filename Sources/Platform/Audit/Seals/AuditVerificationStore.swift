import Core
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
            return AuditReport(head: nil, checkpoint: nil, findings: check.findings, isTruncated: check.isTruncated)
        }
        let head = AuditHead(team: team, position: try row.next(), code: try row.next())
        var (check, checkpoint) = try begin(&row, team)
        try await follow(&check, to: head)
        try await findUnsealed(&check, in: team)
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
                    e.event_id IS NOT NULL, \(AuditEntry.bareColumns)
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
                check.take(seal, try row.next(Bool.self) ? try AuditEntry(&row) : nil)
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

/// A difference between the log and its seals.
public struct AuditFinding: Hashable, Sendable {
    public enum Kind: String, Sendable {
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
    }

    public let kind: Kind
    /// The event, where it is known.
    public let place: AuditEntry.Place?
    /// Positions of a cut, position of a checkpoint, or id of a key.
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

/// The last position of a team's seal chain and its code.
///
/// Logged and written into exports, so that deleting the newest events with their seals can be detected there.
public struct AuditHead: Hashable, Sendable {
    public let team: TeamID
    public let position: Int
    let code: [UInt8]

    /// The code in hexadecimal digits, in groups of sixteen joined by hyphens, because the log redacts an unbroken run
    /// as the secret of a master key.
    public var codeText: String {
        stride(from: 0, to: code.count, by: Self.groupSize).map {
            Hex.encode(Array(code[$0..<min($0 + Self.groupSize, code.count)]))
        }.joined(separator: "-")
    }

    /// Octets of the code per group of `codeText`.
    private static let groupSize = 8

    /// Position and code in the form that `pippin audit verify --head` accepts.
    public var text: String { "\(position):\(codeText)" }
}
