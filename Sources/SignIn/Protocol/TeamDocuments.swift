import Core
import Crypto
import Federation
import HTTP
import OAuth
import Platform

/// Documents of teams that are the same for all clients, as prepared responses.
// @unchecked Sendable: accessed on its loop's thread only.
final class TeamDocuments: @unchecked Sendable {
    /// Lifetime of an entry, because key sets change with time even if the team is not changed.
    private static let lifetime = Duration.seconds(60)
    private static let capacity = 512

    private let server: ServerContext
    private let apple: any NativeProvider
    private var entries: [TeamID: Entry] = [:]

    private struct Entry {
        let team: TeamSnapshot
        let madeAt: Timestamp
        let appleKeys: [String?]
        let keys: PreparedResponse
        let discovery: PreparedResponse
    }

    init(server: ServerContext, apple: any NativeProvider) {
        self.server = server
        self.apple = apple
    }

    /// The team's keys and, where it is connected to Apple, those of Apple: its backends verify the tokens that native
    /// apps have from Apple as well.
    func keys(of team: TeamSnapshot) async throws -> PreparedResponse {
        if team.isRegisteredAtApple { await apple.waitForFirstKeys() }
        return try entry(of: team).keys
    }

    func discovery(of team: TeamSnapshot) throws -> PreparedResponse { try entry(of: team).discovery }

    private func entry(of team: TeamSnapshot) throws -> Entry {
        let now = server.clock()
        let keys = team.isRegisteredAtApple ? apple.publishedKeys : []
        let names = keys.map(\.keyID)
        if let entry = entries[team.id], entry.team === team, entry.appleKeys == names,
            now - entry.madeAt < Self.lifetime
        {
            return entry
        }
        let isWhole = !team.isRegisteredAtApple || !keys.isEmpty
        let entry = Entry(
            team: team, madeAt: now, appleKeys: names,
            keys: try Self.prepare(team.keySet(at: now, with: keys), mayBeStored: isWhole),
            discovery: try Self.prepare(Discovery.document(base: server.base(of: team.id))))
        if entries.count >= Self.capacity { entries = [:] }
        entries[team.id] = entry
        return entry
    }

    /// Allows caches five minutes, far less than the time from the publication of a new key to its first use.
    ///
    /// - Parameter mayBeStored: false for a set without Apple's keys, which follow a moment later.
    private static func prepare(_ body: [UInt8], mayBeStored: Bool = true) throws -> PreparedResponse {
        var response = ProtocolAnswers.json(body).readableAnywhere
        guard mayBeStored else { return try PreparedResponse(response) }
        response.set(.cacheControl, "public, max-age=300")
        response.fields.removeAll { $0.name == .pragma }
        return try PreparedResponse(response)
    }
}
