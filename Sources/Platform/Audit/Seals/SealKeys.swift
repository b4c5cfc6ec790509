import Core
public import Crypto
import Postgres

/// The keys of seals, one for each master key, so that seals from before a rotation can be verified after it.
public struct SealKeys: Sendable {
    /// Id of the master key for new seals.
    let currentID: String
    private let codes: [String: HMACSHA256]

    public init(_ ring: KeyRing) {
        currentID = ring.currentID
        let keys = zip(ring.keys.map(\.id), ring.deriveAll(purpose: "audit-seals"))
        codes = Dictionary(uniqueKeysWithValues: keys.map { ($0, HMACSHA256(key: $1)) })
    }

    /// Returns the code (HMAC-SHA256) of a content, or nil when its key is not in the ring.
    func code(of content: SealContent, by keyID: String) -> [UInt8]? { codes[keyID]?.code(for: content.bytes) }
}

/// The input of a code: fields with their lengths in front, so that no two contents have the same octets.
struct SealContent {
    private(set) var bytes: [UInt8] = []

    /// - Parameter purpose: distinguishes a seal from a checkpoint.
    private init(_ purpose: String, _ team: TeamID) {
        append(purpose)
        append(team.rawValue)
    }

    /// Content of a seal: the code before it, its position, and its event or the absence of one.
    init(_ seal: Seal, after code: [UInt8], of entry: AuditEntry?, in team: TeamID) {
        self.init("seal", team)
        append(code)
        append(String(seal.position))
        append(String(seal.sealedAt.microseconds))
        append(String(seal.place.at.microseconds))
        append(seal.place.id)
        guard let entry else {
            append(nil as String?)
            return
        }
        for text in [entry.actorKind, entry.actor, entry.action, entry.targetKind, entry.target] { append(text) }
        append(entry.outcome.rawValue)
        for text in [entry.ip, entry.userAgent, entry.requestID, entry.before, entry.after] { append(text) }
    }

    init(_ checkpoint: Checkpoint, in team: TeamID) {
        self.init("checkpoint", team)
        append(String(checkpoint.position))
        append(checkpoint.code)
        append(String(checkpoint.latestAt.microseconds))
        append(String(checkpoint.madeAt.microseconds))
    }

    /// Appends a field; nil and an empty text differ.
    private mutating func append(_ text: String?) {
        guard let text else { return bytes.append(0) }
        append(Array(text.utf8))
    }

    private mutating func append(_ field: [UInt8]) {
        bytes.append(1)
        for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: field.count >> shift)) }
        bytes += field
    }
}

/// The entry of one event in its team's seal chain.
struct Seal: Sendable {
    let position: Int
    let place: AuditEntry.Place
    let sealedAt: Timestamp
    let keyID: String
    let code: [UInt8]

    /// Seals an event, or the absence of one that was written and is missing, after the seal with the code `former`.
    init?(
        _ place: AuditEntry.Place, _ entry: AuditEntry?, at position: Int, after former: [UInt8], in team: TeamID,
        by keys: SealKeys, at now: Timestamp
    ) {
        let draft = Seal(position: position, place: place, sealedAt: now, keyID: keys.currentID, code: [])
        let content = SealContent(draft, after: former, of: entry, in: team)
        guard let code = keys.code(of: content, by: keys.currentID) else { return nil }
        self.init(position: position, place: place, sealedAt: now, keyID: keys.currentID, code: code)
    }

    init(_ row: inout Row) throws(PostgresFailure) {
        position = try row.next()
        place = AuditEntry.Place(at: try row.next(), id: try row.next())
        sealedAt = try row.next()
        keyID = try row.next()
        code = try row.next()
    }

    private init(position: Int, place: AuditEntry.Place, sealedAt: Timestamp, keyID: String, code: [UInt8]) {
        self.position = position
        self.place = place
        self.sealedAt = sealedAt
        self.keyID = keyID
        self.code = code
    }
}
