import AuthEngine
import Bytes
import Domain
import HTTP

/// The documents of teams that are the same for everyone, kept ready to be sent.
// @unchecked Sendable: touched on its loop's thread alone.
final class TeamDocuments: @unchecked Sendable {
    /// Keys come and go with time even when nothing is changed, so what is kept is made anew this often.
    private static let lifetime = Duration.seconds(60)
    private static let capacity = 512

    private let context: EngineContext
    private var entries: [TeamID: Entry] = [:]

    private struct Entry {
        let team: TeamSnapshot
        let madeAt: Timestamp
        let keys: PreparedResponse
        let discovery: PreparedResponse
    }

    init(context: EngineContext) {
        self.context = context
    }

    func keys(of team: TeamSnapshot) throws -> PreparedResponse {
        try entry(of: team).keys
    }

    func discovery(of team: TeamSnapshot) throws -> PreparedResponse {
        try entry(of: team).discovery
    }

    private func entry(of team: TeamSnapshot) throws -> Entry {
        let now = context.clock()
        if let entry = entries[team.id], entry.team === team, now - entry.madeAt < Self.lifetime {
            return entry
        }
        let entry = Entry(
            team: team,
            madeAt: now,
            keys: try Self.prepare(team.keySet(at: now)),
            discovery: try Self.prepare(Discovery.document(base: context.base(of: team.id)))
        )
        if entries.count >= Self.capacity { entries = [:] }
        entries[team.id] = entry
        return entry
    }

    /// Five minutes in caches: far less than a new key is published before its first use.
    private static func prepare(_ body: [UInt8]) throws -> PreparedResponse {
        var response = ProtocolAnswers.json(body)
        response.set(.cacheControl, "public, max-age=300")
        response.fields.removeAll { $0.name == .pragma }
        return try PreparedResponse(response)
    }
}
