import Bytes
import Domain

/// Follows a chain from seal to seal and says what does not fit.
///
/// A seal that does not fit is told once: the next one is held against the code that is written, so that one changed
/// event is not a thousand.
struct ChainCheck {
    /// How much later than a younger one an event may have got its place: no transaction of ours lasts as long.
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

    /// Whether the checkpoint was made by us.
    mutating func judge(_ checkpoint: Checkpoint, signature: [UInt8], keyID: String) {
        let expected = keys.code(of: SealContent(checkpoint, in: team), by: keyID)
        if expected != signature { note(AuditFinding(.checkpoint, detail: String(checkpoint.position))) }
    }

    /// Takes the next seal, with its event where that is still there.
    ///
    /// Positions are what stands in the database: after the last number comes the first.
    mutating func take(_ seal: Seal, _ entry: AuditEntry?) {
        let isNext = seal.position == position &+ 1
        if !isNext { note(AuditFinding(.cut, detail: "\(position &+ 1)–\(seal.position &- 1)")) }
        if entry == nil {
            note(AuditFinding(.removed, seal.place))
        } else if isNext {
            judge(seal, entry)
        }
        if seal.place.at < latestAt - Self.tolerance { note(AuditFinding(.inserted, seal.place)) }
        latestAt = max(latestAt, seal.place.at)
        (position, code) = (seal.position, seal.code)
    }

    /// Ends at the head of the chain.
    mutating func finish(at head: AuditHead) {
        if position < head.position {
            note(AuditFinding(.cut, detail: "\(position &+ 1)–\(head.position)"))
        } else if code != head.code {
            note(AuditFinding(.cut, detail: String(head.position)))
        }
    }

    /// What is to be signed when all is well up to here.
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
