import Core

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
    mutating func take(_ seal: Seal, _ entry: AuditEntry?) {
        let isNext = seal.position == position &+ 1
        if !isNext { note(AuditFinding(.cut, detail: "\(position &+ 1)–\(seal.position &- 1)")) }
        if entry == nil { note(AuditFinding(.removed, seal.place)) } else if isNext { judge(seal, entry) }
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

    private mutating func judge(_ seal: Seal, _ entry: AuditEntry?) {
        let content = SealContent(seal, after: code, of: entry, in: team)
        guard let expected = keys.code(of: content, by: seal.keyID) else {
            if unknownKeys.insert(seal.keyID).inserted { note(AuditFinding(.key, detail: seal.keyID)) }
            return
        }
        if expected != seal.code { note(AuditFinding(.changed, seal.place)) }
    }
}
