import Core
import Platform
import Postgres

/// Records when each key was last used, at most once a minute per key and loop.
// @unchecked Sendable: accessed only on its loop's thread.
final class KeyUses: @unchecked Sendable {
    private static let interval = Duration.seconds(60)
    private static let capacity = 10_000

    private let database: TeamDatabase
    private let log: Log
    private var written: [Use: Timestamp] = [:]
    private var ends: [SecretEnd: Timestamp] = [:]

    private struct Use: Hashable {
        let team: TeamID
        let key: KeyID
    }

    private struct SecretEnd: Hashable {
        let team: TeamID
        let client: ClientID
        let moment: Timestamp
    }

    init(database: TeamDatabase, log: Log) {
        self.database = database
        self.log = log
    }

    /// Records the use of a key; a failure does not fail the request, because a use a minute later is recorded again.
    func note(_ client: AuthenticatedClient, in team: TeamID, at moment: Timestamp, from origin: Origin) async {
        guard let key = client.keyID else { return }
        await note(key, in: team, at: moment, from: origin)
        guard case .secret(_, let end?) = client.proof else { return }
        let secret = SecretEnd(team: team, client: client.id, moment: end)
        guard Self.isDue(secret, of: &ends, at: moment) else { return }
        await log.attempt("client_secret_end.not_kept", request: origin.requestID) {
            try await database.query(
                """
                INSERT INTO client_secret_ends (team_id, client_id, ends_at, seen_at)
                VALUES (\(team), \(client.id), \(end), \(moment))
                ON CONFLICT (team_id, client_id)
                    DO UPDATE SET ends_at = excluded.ends_at, seen_at = excluded.seen_at
                """, in: team, durability: .relaxed)
        }
    }

    private func note(_ key: KeyID, in team: TeamID, at moment: Timestamp, from origin: Origin) async {
        guard Self.isDue(Use(team: team, key: key), of: &written, at: moment) else { return }
        await log.attempt("key_use.not_kept", request: origin.requestID) {
            try await database.query(
                """
                INSERT INTO key_uses (team_id, key_id, last_used_at)
                SELECT \(team), key_id, \(moment) FROM keys WHERE team_id = \(team) AND key_id = \(key)
                ON CONFLICT (team_id, key_id) DO UPDATE SET last_used_at = excluded.last_used_at
                """, in: team, durability: .relaxed)
        }
    }

    /// Whether the last write of the key is over a minute ago; if so, marks it as written.
    private static func isDue<Key>(_ key: Key, of written: inout [Key: Timestamp], at moment: Timestamp) -> Bool {
        if let last = written[key], moment - last < interval { return false }
        if written.count >= capacity { written = [:] }
        written[key] = moment
        return true
    }
}
