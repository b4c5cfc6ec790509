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

    /// The team's keys and, where it publishes them, those of Apple: its backends verify the tokens that native apps have
    /// from Apple as well.
    func keys(of team: TeamSnapshot) async throws -> PreparedResponse {
        if team.publishesAppleKeys { await apple.waitForFirstKeys() }
        return try entry(of: team).keys
    }

    func discovery(of team: TeamSnapshot) throws -> PreparedResponse { try entry(of: team).discovery }

    /// The team's keys if they are prepared; nil while Apple's are missing.
    func preparedKeys(of team: TeamSnapshot) -> PreparedResponse? {
        guard let entry = known(team), !team.publishesAppleKeys || !entry.appleKeys.isEmpty else { return nil }
        return entry.keys
    }

    func preparedDiscovery(of team: TeamSnapshot) -> PreparedResponse? { known(team)?.discovery }

    private func known(_ team: TeamSnapshot) -> Entry? {
        guard let entry = entries[team.id], entry.team === team, server.clock() - entry.madeAt < Self.lifetime else {
            return nil
        }
        guard team.publishesAppleKeys else { return entry }
        return apple.publishedKeys.elementsEqual(entry.appleKeys) { $0.keyID == $1 } ? entry : nil
    }

    private func entry(of team: TeamSnapshot) throws -> Entry {
        if let entry = known(team) { return entry }
        let now = server.clock()
        let keys = team.publishesAppleKeys ? apple.publishedKeys : []
        let isWhole = !team.publishesAppleKeys || !keys.isEmpty
        let entry = Entry(
            team: team, madeAt: now, appleKeys: keys.map(\.keyID),
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
