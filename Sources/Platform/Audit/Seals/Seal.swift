import Core
import Postgres

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

/// The position after which verification begins once older events were deleted.
struct Checkpoint: Sendable {
    let position: Int
    let code: [UInt8]
    /// Time of the latest event up to the position.
    let latestAt: Timestamp
    let madeAt: Timestamp
}
