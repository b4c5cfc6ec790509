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

/// State of a team's seal chain: how far the log is sealed, and the result of the last verification.
public struct AuditChain: Sendable {
    /// Nil while no event is sealed.
    public let head: AuditHead?
    public let sealedAt: Timestamp?
    /// Events that are not sealed yet, counted up to 1,000.
    public let waiting: Int
    /// Whether a requested verification is pending.
    public let isVerificationDue: Bool
    public let verifiedAt: Timestamp?
    /// The position up to which the last verification went.
    public let verifiedPosition: Int?
    public let findings: [AuditFinding]
    public let retentionDays: Int
}

/// Follows a chain from seal to seal and collects findings.
///
/// A wrong seal is reported once: the next one is checked against the stored code, so that one changed event does not
/// cause a finding for each event after it.
struct ChainCheck {
    /// How far an event's time may lie before that of an earlier seal's event; no transaction lasts that long.
    static let tolerance = Duration.seconds(3600)
    static let limit = 100

    private let team: TeamID
    private let keys: SealKeys
    private(set) var position: Int
    private var code: [UInt8]
    private var latestAt: Timestamp
    private var unknownKeys: Set<String> = []
    private(set) var findings: [AuditFinding] = []
    private(set) var isTruncated = false

    init(_ team: TeamID, _ keys: SealKeys, after checkpoint: Checkpoint?) {
        self.team = team
        self.keys = keys
        position = checkpoint?.position ?? 0
        code = checkpoint?.code ?? []
        latestAt = checkpoint?.latestAt ?? Timestamp(microseconds: 0)
    }

    /// Adds a finding when the signature of the checkpoint is not valid.
    mutating func judge(_ checkpoint: Checkpoint, signature: [UInt8], keyID: String) {
        let expected = keys.code(of: SealContent(checkpoint, in: team), by: keyID)
        if expected != signature { note(AuditFinding(.checkpoint, detail: String(checkpoint.position))) }
    }

    /// Checks the next seal, with its event where that still exists.
    ///
    /// Positions are unchecked values from the database, so arithmetic on them wraps around.
    ///
    /// - Parameter isFound: whether the event's columns for searches are those that follow from what is sealed.
    mutating func take(_ seal: Seal, _ entry: AuditEntry?, isFound: Bool = true) {
        let isNext = seal.position == position &+ 1
        if !isNext { note(AuditFinding(.cut, detail: "\(position &+ 1)–\(seal.position &- 1)")) }
        if entry == nil { note(AuditFinding(.removed, seal.place)) } else if isNext { judge(seal, entry, isFound) }
        if seal.place.at < latestAt - Self.tolerance { note(AuditFinding(.inserted, seal.place)) }
        latestAt = max(latestAt, seal.place.at)
        (position, code) = (seal.position, seal.code)
    }

    /// Compares the last seal with the head of the chain.
    mutating func finish(at head: AuditHead) {
        if position < head.position {
            note(AuditFinding(.cut, detail: "\(position &+ 1)–\(head.position)"))
        } else if code != head.code {
            note(AuditFinding(.cut, detail: String(head.position)))
        }
    }

    /// The checkpoint at the current position, to be signed when there are no findings.
    func checkpoint(at now: Timestamp) -> Checkpoint {
        Checkpoint(position: position, code: code, latestAt: latestAt, madeAt: now)
    }

    mutating func note(_ finding: AuditFinding) {
        if findings.count < Self.limit { findings.append(finding) } else { isTruncated = true }
    }

    private mutating func judge(_ seal: Seal, _ entry: AuditEntry?, _ isFound: Bool) {
        let content = SealContent(seal, after: code, of: entry, in: team)
        guard let expected = keys.code(of: content, by: seal.keyID) else {
            if unknownKeys.insert(seal.keyID).inserted { note(AuditFinding(.key, detail: seal.keyID)) }
            return
        }
        if expected != seal.code || !isFound { note(AuditFinding(.changed, seal.place)) }
    }
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
