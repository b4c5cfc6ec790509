import Bytes
import Domain
import HTTP
import OAuth

/// Documents of teams that are the same for all clients, as prepared responses.
// @unchecked Sendable: accessed on its loop's thread only.
final class TeamDocuments: @unchecked Sendable {
    /// Lifetime of an entry, because key sets change with time even if the team is not changed.
    private static let lifetime = Duration.seconds(60)
    private static let capacity = 512

    private let server: ServerContext
    private var entries: [TeamID: Entry] = [:]

    private struct Entry {
        let team: TeamSnapshot
        let madeAt: Timestamp
        let keys: PreparedResponse
        let discovery: PreparedResponse
    }

    init(server: ServerContext) { self.server = server }

    func keys(of team: TeamSnapshot) throws -> PreparedResponse { try entry(of: team).keys }

    func discovery(of team: TeamSnapshot) throws -> PreparedResponse { try entry(of: team).discovery }

    private func entry(of team: TeamSnapshot) throws -> Entry {
        let now = server.clock()
        if let entry = entries[team.id], entry.team === team, now - entry.madeAt < Self.lifetime { return entry }
        let entry = Entry(
            team: team, madeAt: now, keys: try Self.prepare(team.keySet(at: now)),
            discovery: try Self.prepare(Discovery.document(base: server.base(of: team.id))))
        if entries.count >= Self.capacity { entries = [:] }
        entries[team.id] = entry
        return entry
    }

    /// Allows caches five minutes, far less than the time from the publication of a new key to its first use.
    private static func prepare(_ body: [UInt8]) throws -> PreparedResponse {
        var response = ProtocolAnswers.json(body)
        response.set(.cacheControl, "public, max-age=300")
        response.fields.removeAll { $0.name == .pragma }
        return try PreparedResponse(response)
    }
}
